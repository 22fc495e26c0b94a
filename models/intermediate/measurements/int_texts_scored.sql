-- Grain: one row per prompt_key, text_key: what is scored in the place of an answer or of a baseline.
select
    scored.prompt_key,
    scored.text_key,
    scored.scored_as,
    scored.scored_text_key
from {{ ref('stg_extract__scored_texts') }} as scored
inner join {{ ref('stg_assemble__prompts') }} as prompts using (prompt_key)
inner join {{ ref('stg_suite__categories') }} as categories
    on
        prompts.suite = categories.suite
        and prompts.category = categories.category
        and scored.scored_as = categories.scored_as
