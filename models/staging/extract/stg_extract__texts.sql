-- Grain: one row per text_key.
select
    text_key,
    text,
    n_characters
from {{ source('raw', 'texts') }}
