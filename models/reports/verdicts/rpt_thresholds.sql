-- Grain: one row per profile, metric, axis_kind.
select
    {{ contract_columns() }}
from {{ ref('thresholds') }}
