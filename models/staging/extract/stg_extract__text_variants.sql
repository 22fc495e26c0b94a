-- Grain: one row per text_key, text_variant.
select
    text_key,
    text_variant,
    variant_text_key
from {{ source('raw', 'text_variants') }}
