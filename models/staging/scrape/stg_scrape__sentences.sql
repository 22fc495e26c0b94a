-- Grain: one row per sentence_key.
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
from {{ source('raw', 'sentences') }}
