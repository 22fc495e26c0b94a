-- Grain: one row per suite, word.
select
    suite,
    word
from {{ source('raw', 'suite_stop_words') }}
