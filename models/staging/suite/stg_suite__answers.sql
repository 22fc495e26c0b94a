-- Grain: one row per suite, category, answer.
with categories as (
    {{ suite_categories() }}
),

answers as (
    select
        suite,
        category,
        {{ members('settings', 'simulated.weights') }} as answer
    from categories
)

select
    answers.suite,
    answers.category,
    answers.answer.key as answer,
    cast(answers.answer.value as double) as weight
from answers
