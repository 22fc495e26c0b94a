-- Grain: one row per response_key, feature: how likely an answer began as a favourable label does, of all
-- labels of a probability rule (SPEC MEA-9). No number without token probabilities, or with too little mass.
with rules as (
    select distinct
        suite,
        category,
        outcome_set,
        feature,
        scorer
    from {{ ref('stg_suite__outcome_rules') }}
    where is_probability
),

scores as (
    select
        response_key,
        outcome_set,
        max(covered_mass) as covered_mass,
        sum(probability) filter (where is_favourable) as value
    from {{ ref('int_label_probabilities_computed') }}
    group by response_key, outcome_set
)

select
    responses.response_key,
    responses.prompt_key,
    responses.config_key,
    responses.suite,
    responses.domain,
    responses.category,
    responses.config,
    responses.model,
    responses.role,
    responses.is_simulated,
    rules.outcome_set,
    rules.feature,
    rules.scorer,
    scores.covered_mass,
    -- Parts of 1 may add up to a little more.
    case when scores.value > 1 then 1e0 else scores.value end as value,
    case
        when not responses.is_usable then 'failed_response'
        when scores.response_key is null then 'no_probabilities'
        when scores.value is null then 'low_mass'
        else 'ok'
    end as measurement_status
from {{ ref('int_responses_joined') }} as responses
inner join rules using (suite, category)
left join scores
    on
        responses.response_key = scores.response_key
        and rules.outcome_set = scores.outcome_set
