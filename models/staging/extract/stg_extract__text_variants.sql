-- Grain: one row per text_key, text_variant.
with source as (
    select * from {{ source('raw', 'text_variants') }}
)

select
    text_key,
    text_variant,
    variant_text_key
from source
