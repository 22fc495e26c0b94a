-- Grain: one row per prompt_key.
with flags as (
    select
        prompt_key,
        {{ ordered_text('flag', "', '", 'flag') }} as flags
    from {{ ref('stg_assemble__prompt_flags') }}
    group by prompt_key
),

flagged_roots as (
    select distinct prompts.root_key
    from {{ ref('stg_assemble__prompts') }} as prompts
    inner join flags using (prompt_key)
),

asked as (
    select distinct prompt_key
    from {{ ref('stg_generate__responses') }}
)

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
    prompts.messages,
    prompts.baseline_text_key,
    baselines.text as baseline,
    prompts.baseline_kind,
    prompts.root_key,
    prompts.block_key,
    prompts.attributes,
    prompts.shown_by,
    prompts.translated_by,
    prompts.reviewed_by,
    flags.flags,
    flagged_roots.root_key is not null and asked.prompt_key is null as is_left_out
from {{ ref('stg_assemble__prompts') }} as prompts
left join {{ ref('stg_extract__texts') }} as baselines on prompts.baseline_text_key = baselines.text_key
left join flags on prompts.prompt_key = flags.prompt_key
left join flagged_roots on prompts.root_key = flagged_roots.root_key
left join asked on prompts.prompt_key = asked.prompt_key
