-- Grain: one row per prompt_key.
select
    prompt_key,
    suite,
    root_key,
    words_key,
    words
from {{ source('raw', 'prompt_words') }}
