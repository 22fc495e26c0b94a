-- Grain: one row per sentence_key.
with source as (
    select * from {{ source('raw', 'sentences') }}
)

select
    sentence_key,
    document_key,
    suite,
    domain,
    category,
    concept,
    keyword,
    source_tag,
    sentence_position,
    sentence
from source
