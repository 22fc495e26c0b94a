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
    {{ json_text('settings', 'ground_truth.attribute') }} as attribute,
    {{ json_text('settings', 'ground_truth.figure_kind') }} as figure_kind,
    {{ json_text('settings', 'ground_truth.source') }} as published_by,
    cast({{ json_text('settings', 'ground_truth.date') }} as date) as published_on,
    {{ json_text('settings', 'ground_truth.url') }} as source_url,
    nullif({{ json_text('settings', 'ground_truth.licence') }}, '') as licence
from categories
where {{ json_text('settings', 'ground_truth.set') }} is not null
