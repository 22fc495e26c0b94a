-- Grain: one row per suite, category, attribute, value, answer.
with categories as (
    {{ suite_categories() }}
),

planted as (
    select
        suite,
        category,
        unnest(cast(settings -> '$.simulated.planted' as json[])) as planted
    from categories
)

select
    suite,
    category,
    planted ->> 'attribute' as attribute,
    planted ->> 'value' as value,
    planted ->> 'answer' as answer,
    cast(planted -> 'log_odds' as double) as log_odds
from planted
