-- Grain: one row per document_key. No filter: documents that could not be read keep their status.
select
    document_key,
    suite,
    domain,
    category,
    concept,
    keyword,
    source_tag,
    source_kind,
    origin,
    title,
    revision,
    revised_at,
    retrieved_at,
    nullif(trim(licence), '') as licence,
    nullif(trim(attribution), '') as attribution,
    text,
    text_sha256,
    document_status,
    detail,
    run_id
from {{ source('raw', 'documents') }}
