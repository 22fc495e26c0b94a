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

questions_read as (
    select
        suite,
        category
    from rules
    group by suite, category
),

-- What came measured, and no rule reads. A column that other questions' answers fill is none of this one's.
ready as (
    select
        features.suite,
        features.category,
        features.feature as measure
    from {{ ref('int_features_measured') }} as features
    left join rules
        on
            features.suite = rules.suite
            and features.category = rules.category
            and features.feature = rules.measure
    left join questions_read
        on
            features.suite = questions_read.suite
            and features.category = questions_read.category
    where
        features.scorer = 'ready'
        and rules.measure is null
        and (features.has_values or questions_read.category is null)
),

measures as (
    select * from rules
    union all
    select
        suite,
        category,
        measure,
        cast(null as string) as outcome_set,
        cast(null as string) as rule_kind,
        cast(null as string) as variant
    from ready
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
    measures.measure,
    measures.outcome_set,
    measures.rule_kind,
    measures.variant,
    categories.scored_as,
    baselines.is_baseline_cut,
    case when measures.outcome_set = suites.choice_set then suites.n_candidates end as n_candidates
from {{ ref('stg_suite__categories') }} as categories
inner join measures using (suite, category)
inner join {{ ref('stg_suite__suites') }} as suites using (suite)
left join baselines using (suite, category)
