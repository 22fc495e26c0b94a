-- Grain: one row per suite, category, outcome_set.
with categories as (
    {{ suite_categories() }}
)

select
    suite,
    category,
    {{ json_text('settings', 'ground_truth.set') }} as outcome_set,
    {{ json_text('settings', 'ground_truth.table') }} as ground_truth,
    {{ json_text('settings', 'ground_truth.dimension') }} as dimension,
    {{ json_text('settings', 'ground_truth.attribute') }} as attribute
from categories
where {{ json_text('settings', 'ground_truth.set') }} is not null
