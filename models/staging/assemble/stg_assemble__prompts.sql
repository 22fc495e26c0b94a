-- Grain: one row per prompt_key.
select
    prompt_key,
    suite,
    domain,
    category,
    concept,
    keyword,
    source_tag,
    method,
    language,
    prompt,
    baseline_text_key,
    baseline_kind,
    root_key,
    block_key,
    attributes,
    shown_by,
    template,
    slots,
    translated_by,
    reviewed_by,
    messages
from {{ source('raw', 'prompts') }}
