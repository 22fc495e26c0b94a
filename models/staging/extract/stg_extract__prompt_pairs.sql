-- Grain: one row per suite, axis, prompt_key_a, prompt_key_b.
select
    suite,
    category,
    axis,
    group_a,
    group_b,
    root_key,
    prompt_key_a,
    prompt_key_b
from {{ source('raw', 'prompt_pairs') }}
