-- Grain: one row per suite, category, measure: the questions, and how their answers are read.
with rules as (
    select
        suite,
        category,
        coalesce(feature, outcome_set) as measure,
        any_value(outcome_set) as outcome_set,
        any_value(rule_kind) as rule_kind,
        any_value(variant) as variant
    from {{ ref('stg_suite__outcome_rules') }}
    group by suite, category, coalesce(feature, outcome_set)
)

select
    categories.suite,
    categories.domain,
    categories.category,
    categories.category_position,
    categories.title,
    categories.description,
    rules.measure,
    rules.outcome_set,
    rules.rule_kind,
    rules.variant
from {{ ref('stg_suite__categories') }} as categories
inner join rules using (suite, category)
