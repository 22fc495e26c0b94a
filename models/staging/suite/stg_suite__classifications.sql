-- Grain: one row per suite, category.
with categories as (
    {{ suite_categories() }}
)

select
    suite,
    category,
    settings ->> '$.classification.set' as outcome_set,
    settings ->> '$.classification.truth' as attribute,
    cast(settings -> '$.classification.positive' as varchar[]) as true_labels,
    cast(settings -> '$.classification.predicted' as varchar[]) as predicted_labels
from categories
where (settings ->> '$.classification.set') is not null
