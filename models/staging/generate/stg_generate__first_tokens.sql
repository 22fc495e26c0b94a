-- Grain: one row per response_key, token: what an answer might have begun with, and the logarithm of how
-- likely that was.
with responses as (
    select
        response_key,
        first_tokens
    from {{ source('raw', 'responses') }}
    where first_tokens is not null
),

pairs as (
    select
        response_key,
        {{ unnested(json_items('first_tokens')) }} as pair
    from responses
)

select
    response_key,
    {{ json_text('pair', '[0]') }} as token,
    cast({{ json_text('pair', '[1]') }} as double) as logprob
from pairs
