-- Grain: one row per suite, category, attribute, value, answer.
with categories as (
    {{ suite_categories() }}
),

planted as (
    select
        suite,
        category,
        {{ unnested(json_items('settings', 'simulated.planted')) }} as planted
    from categories
)

select
    suite,
    category,
    {{ json_text('planted', 'attribute') }} as attribute,
    {{ json_text('planted', 'value') }} as value,
    {{ json_text('planted', 'answer') }} as answer,
    cast({{ json_text('planted', 'log_odds') }} as double) as log_odds
from planted
