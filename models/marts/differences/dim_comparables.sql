-- Grain: one row per part, suite, category, outcome_set, item: what another run must share with this one.
select
    {{ contract_columns() }}
from {{ ref('int_run_definitions_listed') }}
