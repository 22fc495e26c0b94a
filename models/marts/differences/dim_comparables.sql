-- Grain: one row per part, suite, category, outcome_set, item: what another run must share with this one.
select
    part,
    suite,
    category,
    outcome_set,
    item,
    definition
from {{ ref('int_run_definitions_listed') }}
