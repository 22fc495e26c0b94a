-- Grain: one row per text_key, words_key, text_variant.
select
    text_key,
    words_key,
    text_variant,
    neutral_text_key
from {{ source('raw', 'neutral_texts') }}
