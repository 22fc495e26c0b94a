-- Grain: one row per response_key_a, response_key_b, feature: which of two answers a judge (feature)
-- prefers in both orders, as 1 and 0. Half for either where it calls a tie, or goes by the order.
with pairs as (
    select
        neutral.response_key_a,
        neutral.response_key_b,
        neutral.is_usable,
        neutral.text_key_a,
        neutral.text_key_b,
        neutral.is_blank,
        neutral.n_characters,
        judges.judge,
        judges.max_characters
    from {{ ref('int_neutral_pairs_listed') }} as neutral
    inner join {{ ref('stg_suite__judges') }} as judges
        on
            neutral.suite = judges.suite
            and neutral.category = judges.category
            and neutral.text_variant = judges.text_variant
    where neutral.pair_kind = 'branches' and judges.compares_pairs
),

-- Ties of those who vote are ties.
judged as (
    select
        judgements.scorer,
        shown.first_text_key,
        shown.second_text_key,
        case
            when judgements.label = 'first' then 1e0
            when judgements.label = 'second' then 0e0
            when judgements.label = 'tie' or judgements.judgement_status = 'tied' then 0.5e0
        end as first_share,
        judgements.judgement_status
    from {{ ref('int_judgements_counted') }} as judgements
    inner join {{ ref('stg_extract__judged_pairs') }} as shown on judgements.text_key = shown.pair_key
),

shares as (
    select
        pairs.response_key_a,
        pairs.response_key_b,
        pairs.judge as feature,
        case
            when not pairs.is_usable then null
            when pairs.text_key_a = pairs.text_key_b and not pairs.is_blank then 0.5e0
            when forth.first_share = 1 and back.first_share = 0 then 1e0
            when forth.first_share = 0 and back.first_share = 1 then 0e0
            when forth.first_share is not null and back.first_share is not null then 0.5e0
        end as value_a,
        case
            when not pairs.is_usable then 'failed_response'
            when pairs.text_key_a is null or pairs.text_key_b is null then 'not_measured'
            when pairs.text_key_a = pairs.text_key_b and pairs.is_blank then 'empty'
            when pairs.text_key_a = pairs.text_key_b then 'ok'
            when forth.scorer is null or back.scorer is null then 'not_measured'
            when forth.first_share is null then forth.judgement_status
            when back.first_share is null then back.judgement_status
            when pairs.n_characters > pairs.max_characters then 'capped'
            else 'ok'
        end as measurement_status
    from pairs
    left join judged as forth
        on
            pairs.judge = forth.scorer
            and pairs.text_key_a = forth.first_text_key
            and pairs.text_key_b = forth.second_text_key
    left join judged as back
        on
            pairs.judge = back.scorer
            and pairs.text_key_b = back.first_text_key
            and pairs.text_key_a = back.second_text_key
)

select
    response_key_a,
    response_key_b,
    'preference' as measured_as,
    feature,
    value_a,
    1 - value_a as value_b,
    2 * value_a - 1 as value,
    measurement_status
from shares
