-- Grain: one row per suite, category, config_key, measure, outcome: the outcomes of answers of which people
-- have read some, as rules or people name them, with their codes.
with labels as (
    select * from {{ ref('int_labels_agreed') }}
    where rule_kind <> 'score'
),

named as (
    select
        suite,
        category,
        config_key,
        measure,
        label as outcome
    from labels
    where is_label_counted
    union distinct
    select
        outcomes.suite,
        outcomes.category,
        outcomes.config_key,
        outcomes.outcome_set as measure,
        outcomes.outcome
    from {{ ref('int_outcomes_assigned') }} as outcomes
    semi join labels
        on
            outcomes.suite = labels.suite
            and outcomes.category = labels.category
            and outcomes.config_key = labels.config_key
            and outcomes.outcome_set = labels.measure
    where outcomes.is_counted
),

favourable as (
    select distinct
        suite,
        category,
        outcome_set as measure,
        label as outcome
    from {{ ref('stg_suite__outcome_rules') }}
    where is_favourable
)

select
    named.suite,
    named.category,
    named.config_key,
    named.measure,
    named.outcome,
    row_number() over (
        partition by named.suite, named.category, named.config_key, named.measure
        order by named.outcome
    ) - 1 as outcome_code,
    favourable.outcome is not null as is_favourable
from named
left join favourable using (suite, category, measure, outcome)
