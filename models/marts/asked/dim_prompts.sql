-- Grain: one row per prompt_key.
select
    prompts.prompt_key,
    prompts.suite,
    prompts.domain,
    prompts.category,
    prompts.concept,
    prompts.keyword,
    prompts.source_tag,
    prompts.method,
    prompts.language,
    prompts.prompt,
    prompts.baseline_text_key,
    baselines.text as baseline,
    prompts.baseline_kind,
    prompts.root_key,
    prompts.block_key,
    prompts.attributes,
    prompts.shown_by,
    prompts.translated_by,
    prompts.reviewed_by
from {{ ref('stg_assemble__prompts') }} as prompts
left join {{ ref('stg_extract__texts') }} as baselines on prompts.baseline_text_key = baselines.text_key
