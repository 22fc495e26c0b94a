-- Grain: one row per prompt_key.
with source as (
    select * from {{ source('raw', 'prompt_words') }}
)

select
    prompt_key,
    suite,
    root_key,
    words_key,
    words
from source
