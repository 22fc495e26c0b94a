-- Grain: one row per response_key. No filter: failed answers keep their status.
with responses as (
    select * from {{ ref('stg_generate__responses') }}
),

prompts as (
    select * from {{ ref('stg_assemble__prompts') }}
),

configs as (
    select * from {{ ref('int_configs_labelled') }}
)

select
    responses.response_key,
    responses.prompt_key,
    responses.config_key,
    responses.text_key,
    responses.response_status,
    responses.response_status = 'ok' as is_usable,
    responses.repeat_index,
    prompts.suite,
    prompts.domain,
    prompts.category,
    configs.config,
    configs.model,
    configs.role,
    configs.is_simulated,
    prompts.root_key,
    prompts.block_key
from responses
inner join prompts on responses.prompt_key = prompts.prompt_key
inner join configs on responses.config_key = configs.config_key
