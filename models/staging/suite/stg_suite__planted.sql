-- Grain: one row per suite, category, attribute, value, answer.
select
    suite,
    category,
    attribute,
    value,
    answer,
    log_odds
from {{ source('raw', 'suite_planted') }}
