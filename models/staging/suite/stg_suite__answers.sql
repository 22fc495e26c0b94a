-- Grain: one row per suite, category, answer.
select
    suite,
    category,
    answer,
    weight
from {{ source('raw', 'suite_answers') }}
