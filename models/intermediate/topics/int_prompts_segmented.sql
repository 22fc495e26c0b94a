-- Grain: one row per prompt_key, topic_set: the segment whose clusters a prompt's answers are held against.
-- A prompt without a concept or a source tag is in no segment of that kind.
select
    prompts.prompt_key,
    prompts.suite,
    prompts.baseline_text_key,
    asked.topic_set,
    asked.pool,
    case asked.segment
        when 'none' then ''
        when 'domain' then prompts.domain
        when 'category' then prompts.category
        when 'concept' then prompts.concept
        when 'source_tag' then prompts.source_tag
    end as segment_value
from {{ ref('stg_assemble__prompts') }} as prompts
inner join {{ ref('stg_suite__topics') }} as asked
    on
        prompts.suite = asked.suite
        and array_contains(asked.categories, prompts.category)
