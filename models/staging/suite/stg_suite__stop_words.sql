-- Grain: one row per suite, word.
with source as (
    select * from {{ source('raw', 'suite_stop_words') }}
)

select
    suite,
    word
from source
