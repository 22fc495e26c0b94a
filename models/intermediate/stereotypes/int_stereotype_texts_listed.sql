-- Grain: one row per config_key, response_key of suites that count words: usable answers, and under the
-- pseudo-config `baseline` each prompt's baseline text (SPEC DM-1), so that both are counted alike.
with asked as (
    select
        suite,
        languages,
        {{ unnested('categories') }} as category
    from {{ ref('stg_suite__stereotypes') }}
),

prompts as (
    select * from {{ ref('stg_assemble__prompts') }}
    where baseline_text_key is not null
)

select
    responses.suite,
    responses.domain,
    responses.category,
    responses.config_key,
    responses.config,
    responses.model,
    responses.role,
    responses.is_simulated,
    responses.response_key,
    responses.prompt_key,
    responses.block_key,
    responses.text_key,
    responses.is_usable and responses.text_key is not null and unread.response_key is null as is_counted
from {{ ref('int_responses_joined') }} as responses
inner join asked using (suite, category)
left join {{ ref('int_unread_answers_listed') }} as unread
    on
        responses.response_key = unread.response_key
        and unread.scorer = ''
        and asked.languages = unread.languages
union all
select
    prompts.suite,
    prompts.domain,
    prompts.category,
    'baseline' as config_key,
    'baseline' as config,
    'baseline' as model,
    '' as role,
    false as is_simulated,
    md5('baseline|' || prompts.prompt_key) as response_key,
    prompts.prompt_key,
    prompts.block_key,
    prompts.baseline_text_key as text_key,
    true as is_counted
from prompts
inner join asked using (suite, category)
