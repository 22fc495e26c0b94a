-- Grain: one row per run_id.
select
    {{ contract_columns() }}
from {{ ref('stg_pipeline__runs') }}
