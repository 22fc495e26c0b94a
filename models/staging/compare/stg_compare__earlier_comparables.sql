-- Grain: one row per part, suite, category, outcome_set, item.
with source as (
    select * from {{ source('raw', 'earlier_comparables') }}
)

select
    part,
    suite,
    category,
    outcome_set,
    item,
    definition
from source
