-- Grain: one row per prompt_key, flag.
select
    prompt_key,
    flag
from {{ source('raw', 'prompt_flags') }}
