-- Grain: one row per part, suite, category, outcome_set, item.
select
    part,
    suite,
    category,
    outcome_set,
    item,
    definition
from {{ source('raw', 'earlier_comparables') }}
