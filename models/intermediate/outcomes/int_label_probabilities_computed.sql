-- Grain: one row per response_key, outcome_set, label of probability rules: how likely an answer began as the
-- label does, of all that it might have begun with. Only usable answers with token probabilities.
with responses as (
    select * from {{ ref('int_responses_joined') }}
    where is_usable
),

labels as (
    select distinct
        suite,
        category,
        outcome_set,
        min_mass,
        label,
        is_favourable
    from {{ ref('stg_suite__beginnings') }}
),

tokens as (
    select * from {{ ref('stg_generate__first_tokens') }}
),

answered as (
    select distinct response_key from tokens
),

asked as (
    select
        responses.response_key,
        labels.*
    from responses
    inner join answered using (response_key)
    inner join labels using (suite, category)
),

masses as (
    select
        tokens.response_key,
        begun.outcome_set,
        begun.label,
        {{ sum_of_shares('least(exp(tokens.logprob), 1e0)') }} as mass
    from tokens
    inner join responses using (response_key)
    inner join {{ ref('int_beginnings_matched') }} as begun
        on
            responses.suite = begun.suite
            and responses.category = begun.category
            and tokens.token = begun.token
    group by tokens.response_key, begun.outcome_set, begun.label
)

select
    asked.response_key,
    asked.outcome_set,
    asked.label,
    asked.is_favourable,
    -- Rounded probabilities may add up to a little more than 1.
    least(coalesce(masses.mass, 0e0), 1e0) as mass,
    least(sum(coalesce(masses.mass, 0e0)) over answers, 1e0) as covered_mass,
    case
        when least(sum(coalesce(masses.mass, 0e0)) over answers, 1e0) >= asked.min_mass
            then {{ ratio('coalesce(masses.mass, 0e0)', 'sum(coalesce(masses.mass, 0e0)) over answers') }}
    end as probability
from asked
left join masses using (response_key, outcome_set, label)
window answers as (partition by asked.response_key, asked.outcome_set)
