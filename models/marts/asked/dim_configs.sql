-- Grain: one row per config_key.
select
    config_key,
    config,
    backend,
    is_simulated,
    model,
    digest,
    quantisation,
    role,
    system_prompt,
    template,
    options,
    server_version
from {{ ref('int_configs_labelled') }}
