-- Grain: one row per response_key: the answer itself, at the end of every path of joins.
with texts as (
    select * from {{ ref('stg_extract__texts') }}
)

select
    joined.response_key,
    joined.prompt_key,
    joined.config_key,
    joined.suite,
    joined.domain,
    joined.category,
    joined.config,
    joined.model,
    joined.role,
    joined.is_simulated,
    joined.repeat_index,
    joined.response_status,
    texts.text as response,
    responses.finish_reason,
    responses.n_prompt_tokens,
    responses.n_output_tokens,
    responses.seconds,
    responses.n_attempts,
    responses.error,
    responses.answered_at,
    responses.run_id,
    responses.source_file,
    responses.source_row,
    responses.source_id,
    responses.wait_seconds,
    reasoning_texts.text as reasoning,
    message_texts.text as messages,
    responses.served_model,
    responses.system_fingerprint
from {{ ref('int_responses_joined') }} as joined
left join texts using (text_key)
inner join {{ ref('stg_generate__responses') }} as responses using (response_key)
left join texts as reasoning_texts on responses.reasoning_text_key = reasoning_texts.text_key
left join texts as message_texts on responses.messages_text_key = message_texts.text_key
