-- Grain: one row per response_key. No filter: failures and refusals stay visible.
with source as (
    select * from {{ source('raw', 'responses') }}
)

select
    response_key,
    prompt_key,
    config_key,
    repeat_index,
    text_key,
    lower(trim(response_status)) as response_status,
    finish_reason,
    n_prompt_tokens,
    n_output_tokens,
    {{ finite("seconds") }} as seconds,
    n_attempts,
    error,
    answered_at,
    run_id,
    source_file,
    source_row,
    source_id,
    {{ finite("wait_seconds") }} as wait_seconds,
    reasoning_text_key,
    messages_text_key,
    served_model,
    system_fingerprint
from source
