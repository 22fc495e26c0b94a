-- Every response has one row a rule set in fct_outcomes and one row in dim_responses (SPEC DQ-8).
with responses as (
    select
        responses.response_key,
        count(distinct rules.outcome_set) as n_sets
    from {{ ref('stg_generate__responses') }} as responses
    left join {{ ref('stg_assemble__prompts') }} as prompts on responses.prompt_key = prompts.prompt_key
    left join {{ ref('stg_suite__outcome_rules') }} as rules
        on
            prompts.suite = rules.suite
            and prompts.category = rules.category
    group by responses.response_key
),

outcomes as (
    select
        response_key,
        count(*) as n_rows
    from {{ ref('fct_outcomes') }}
    group by response_key
),

listed as (
    select
        response_key,
        count(*) as n_rows
    from {{ ref('dim_responses') }}
    group by response_key
)

select
    coalesce(responses.response_key, outcomes.response_key, listed.response_key) as response_key,
    responses.n_sets,
    outcomes.n_rows as n_outcomes,
    listed.n_rows as n_listed
from responses
full join outcomes on responses.response_key = outcomes.response_key
full join listed on coalesce(responses.response_key, outcomes.response_key) = listed.response_key
where
    responses.n_sets is distinct from coalesce(outcomes.n_rows, 0)
    or listed.n_rows is distinct from 1
