-- Grain: one row per suite, category, measure: the questions, and how their answers are read.
with rules as (
    select
        suite,
        category,
        case when rule_kind = 'score' then feature else outcome_set end as measure,
        any_value(outcome_set) as outcome_set,
        any_value(rule_kind) as rule_kind,
        any_value(variant) as variant
    from {{ ref('stg_suite__outcome_rules') }}
    group by suite, category, case when rule_kind = 'score' then feature else outcome_set end
),

baselines as (
    select
        prompts.suite,
        prompts.category,
        count(*) filter (where fitted.scored_text_key <> fitted.text_key) > 0 as is_baseline_cut
    from {{ ref('stg_assemble__prompts') }} as prompts
    left join {{ ref('int_texts_scored') }} as fitted
        on
            prompts.prompt_key = fitted.prompt_key
            and prompts.baseline_text_key = fitted.text_key
            and fitted.scored_as = 'answer'
    where prompts.baseline_text_key is not null
    group by prompts.suite, prompts.category
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
    rules.variant,
    categories.scored_as,
    baselines.is_baseline_cut
from {{ ref('stg_suite__categories') }} as categories
inner join rules using (suite, category)
left join baselines using (suite, category)
