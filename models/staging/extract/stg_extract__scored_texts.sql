-- Grain: one row per prompt_key, text_key, scored_as.
select
    prompt_key,
    text_key,
    scored_as,
    scored_text_key
from {{ source('raw', 'scored_texts') }}
