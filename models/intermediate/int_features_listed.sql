-- Grain: one row per suite, category, feature: what is diagnosed. feature_id belongs to (suite, feature).
-- A scorer measures more than was asked: of a text, what a score rule reads; of ready measurements, all; of
-- vectors, what the suite asks for.
with of_vectors as (
    select
        asked.suite,
        asked.feature,
        kinds.range_low,
        kinds.range_high
    from {{ ref('stg_suite__distances') }} as asked
    inner join {{ ref('distances') }} as kinds on asked.distance = kinds.distance
    union all
    select
        suite,
        feature,
        range_low,
        range_high
    from {{ ref('int_topic_features_listed') }}
),

asked as (
    select distinct
        suite,
        category,
        feature
    from {{ ref('stg_suite__outcome_rules') }}
    where rule_kind = 'score'
    union
    select
        categories.suite,
        categories.category,
        of_vectors.feature
    from {{ ref('stg_suite__categories') }} as categories
    inner join of_vectors on categories.suite = of_vectors.suite
),

measured as (
    select
        answered.suite,
        answered.category,
        answered.feature,
        count(answered.baseline_value) > 0 as has_baseline
    from {{ ref('int_measurements_answered') }} as answered
    left join asked
        on
            answered.suite = asked.suite
            and answered.category = asked.category
            and answered.feature = asked.feature
    where answered.scorer = 'ready' or asked.feature is not null
    group by answered.suite, answered.category, answered.feature
),

-- What the suite says of a feature's range goes first.
declared as (
    select
        suite,
        feature,
        range_low,
        range_high
    from {{ ref('stg_suite__features') }}
    union all
    select of_vectors.*
    from of_vectors
    anti join {{ ref('stg_suite__features') }} as features
        on
            of_vectors.suite = features.suite
            and of_vectors.feature = features.feature
)

select
    measured.suite,
    measured.category,
    measured.feature,
    measured.has_baseline,
    declared.range_low,
    declared.range_high,
    dense_rank() over (order by measured.suite, measured.feature) - 1 as feature_id
from measured
left join declared
    on
        measured.suite = declared.suite
        and measured.feature = declared.feature
