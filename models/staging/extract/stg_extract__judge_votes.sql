-- Grain: one row per vote_key.
select
    vote_key,
    rubric_key,
    config_key,
    text_key,
    label,
    {{ finite("value") }} as value,
    reason,
    response_status as vote_status,
    n_attempts,
    error,
    answered_at
from {{ source('raw', 'judge_votes') }}
