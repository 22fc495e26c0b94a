-- Grain: one row per suite, category, answer.
with categories as (
    {{ suite_categories() }}
),

answers as (
    select
        suite,
        category,
        {{ members("settings -> '$.simulated.weights'") }} as answer
    from categories
)

select
    suite,
    category,
    answer.key as answer,
    cast(answer.value as double) as weight
from answers
