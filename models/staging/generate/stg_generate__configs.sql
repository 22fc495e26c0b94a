-- Grain: one row per config_key.
select
    config_key,
    config,
    backend,
    model,
    digest,
    quantisation,
    role,
    system_prompt,
    template,
    options,
    server_version,
    details
from {{ source('raw', 'configs') }}
