-- Grain: one row per suite, category, answer.
with source as (
    select * from {{ source('raw', 'suite_answers') }}
)

select
    suite,
    category,
    answer,
    weight
from source
