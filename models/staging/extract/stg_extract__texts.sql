-- Grain: one row per text_key.
with source as (
    select * from {{ source('raw', 'texts') }}
)

select
    text_key,
    text,
    n_characters
from source
