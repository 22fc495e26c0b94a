-- Grain: one row per suite, category, outcome_set, label: what a table beside the suite calls each label.
with categories as (
    {{ suite_categories() }}
),

labels as (
    select
        suite,
        category,
        {{ json_text('settings', 'ground_truth.set') }} as outcome_set,
        {{ unnested(json_items('settings', 'ground_truth.labels')) }} as said
    from categories
    where {{ json_text('settings', 'ground_truth.labels') }} is not null
)

select
    suite,
    category,
    outcome_set,
    {{ json_text('said', 'label') }} as label,
    {{ json_text('said', 'published_label') }} as published_label
from labels
