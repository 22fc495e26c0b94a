-- Grain: one row per suite, category, outcome_set.
with categories as (
    {{ suite_categories() }}
)

select
    suite,
    category,
    settings ->> '$.ground_truth.set' as outcome_set,
    settings ->> '$.ground_truth.table' as ground_truth,
    settings ->> '$.ground_truth.dimension' as dimension,
    settings ->> '$.ground_truth.attribute' as attribute
from categories
where (settings ->> '$.ground_truth.set') is not null
