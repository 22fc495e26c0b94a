-- Grain: one row per suite, category.
with categories as (
    {{ suite_categories() }}
)

select
    suite,
    category,
    {{ json_text('settings', 'classification.set') }} as outcome_set,
    {{ json_text('settings', 'classification.truth') }} as attribute,
    {{ json_texts('settings', 'classification.positive') }} as true_labels,
    {{ json_texts('settings', 'classification.predicted') }} as predicted_labels
from categories
where {{ json_text('settings', 'classification.set') }} is not null
