-- Grain: one row per config_key. A label that two configs share gets the first digits of its key.
select
    config_key,
    case
        when count(*) over (partition by config) = 1 then config
        else config || ' #' || left(config_key, 6)
    end as config,
    backend,
    backend = 'simulated' as is_simulated,
    model,
    digest,
    quantisation,
    role,
    system_prompt,
    template,
    options,
    server_version
from {{ ref('stg_generate__configs') }}
