-- Grain: one row per suite, category, config_key, prompt_key: prompts with an answer, whatever its words.
with answered as (
    select
        suite,
        category,
        config_key,
        prompt_key,
        block_key,
        cast(sum(n_answers) as bigint) as n_answers
    from {{ ref('int_prompt_texts_counted') }}
    group by suite, category, config_key, prompt_key, block_key
)

select
    answered.suite,
    answered.category,
    answered.config_key,
    answered.prompt_key,
    answered.block_key,
    answered.n_answers,
    prompts.attributes
from answered
inner join {{ ref('stg_assemble__prompts') }} as prompts using (prompt_key)
