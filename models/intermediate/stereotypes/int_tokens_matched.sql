-- Grain: one row per text_id, token_position: the words that count, stop words left out unless protected.
with tokens as (
    select
        suite,
        text_id,
        {{ unnested_in_places('tokens', 'token', 'token_position') }}
    from {{ ref('int_texts_tokenised') }}
),

protected as (
    select distinct
        suite,
        word
    from {{ ref('stg_suite__protected_words') }}
),

targets as (
    select distinct
        suite,
        form
    from {{ ref('stg_suite__target_words') }}
)

select
    tokens.suite,
    tokens.text_id,
    tokens.token,
    tokens.token_position,
    stops.word is not null as is_stop,
    protected.word is not null as is_protected,
    targets.form is not null as is_target
from tokens
left join {{ ref('stg_suite__stop_words') }} as stops
    on
        tokens.suite = stops.suite
        and tokens.token = stops.word
left join protected
    on
        tokens.suite = protected.suite
        and tokens.token = protected.word
left join targets
    on
        tokens.suite = targets.suite
        and tokens.token = targets.form
where stops.word is null or protected.word is not null
