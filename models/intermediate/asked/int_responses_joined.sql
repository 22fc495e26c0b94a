-- Grain: one row per response_key. No filter: failed answers keep their status.
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
from {{ ref('stg_generate__responses') }} as responses
inner join {{ ref('stg_assemble__prompts') }} as prompts using (prompt_key)
inner join {{ ref('int_configs_labelled') }} as configs using (config_key)
