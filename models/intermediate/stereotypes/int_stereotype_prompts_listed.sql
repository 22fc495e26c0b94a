-- Grain: one row per suite, category, config_key, prompt_key: prompts with an answer, whatever its words.
with answered as (
    select distinct
        suite,
        category,
        config_key,
        prompt_key,
        block_key
    from {{ ref('int_prompt_texts_counted') }}
)

select
    answered.suite,
    answered.category,
    answered.config_key,
    answered.prompt_key,
    answered.block_key,
    prompts.attributes
from answered
inner join {{ ref('stg_assemble__prompts') }} as prompts using (prompt_key)
