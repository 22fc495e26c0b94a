-- Grain: one row per response_key, outcome_set whose outcome is a published group.
with truths as (
    select * from {{ ref('stg_suite__ground_truths') }}
    where ground_truth = 'singstat'
),

crosswalk as (
    select * from {{ ref('singstat_crosswalk') }}
    where relation <> 'not_an_occupation'
),

labels as (
    select distinct
        suite,
        category,
        outcome_set,
        label
    from {{ ref('stg_suite__outcome_rules') }}
),

outcomes as (
    select * from {{ ref('int_outcomes_assigned') }}
    where is_counted
)

select
    outcomes.suite,
    outcomes.category,
    outcomes.config_key,
    outcomes.outcome_set,
    outcomes.response_key,
    crosswalk.published_label,
    {{ map_value('prompts.attributes', 'truths.attribute') }} as sex,
    outcomes.prompt_key,
    outcomes.block_key
from outcomes
inner join truths using (suite, category, outcome_set)
inner join labels
    on
        outcomes.suite = labels.suite
        and outcomes.category = labels.category
        and outcomes.outcome_set = labels.outcome_set
        and outcomes.outcome = labels.label
inner join crosswalk
    on
        truths.dimension = crosswalk.dimension
        and outcomes.outcome = crosswalk.audit_label
inner join {{ ref('stg_assemble__prompts') }} as prompts using (prompt_key)
