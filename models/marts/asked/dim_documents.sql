-- Grain: one row per document_key: texts that prompts were made from, without their words.
with sentences as (
    select
        document_key,
        count(*) as n_sentences
    from {{ ref('stg_scrape__sentences') }}
    group by document_key
)

select
    documents.document_key,
    documents.suite,
    documents.category,
    documents.concept,
    documents.source_tag,
    documents.source_kind,
    documents.origin,
    documents.title,
    documents.revision,
    documents.revised_at,
    documents.retrieved_at,
    documents.licence,
    documents.attribution,
    documents.text_sha256,
    documents.document_status,
    coalesce(length(documents.text), 0) as n_characters,
    coalesce(sentences.n_sentences, 0) as n_sentences
from {{ ref('stg_scrape__documents') }} as documents
left join sentences using (document_key)
