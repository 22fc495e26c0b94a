-- Grain: one row per suite, category, attribute, value, answer.
with source as (
    select * from {{ source('raw', 'suite_planted') }}
)

select
    suite,
    category,
    attribute,
    value,
    answer,
    log_odds
from source
