-- Grain: one row per suite, category, feature: what is diagnosed, of pooled categories too. feature_id
-- belongs to (suite, feature).
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

pooled as (
    select
        suite,
        category,
        feature,
        has_baseline
    from {{ ref('int_features_measured') }}
    union all
    select
        suite,
        pooled_category as category,
        feature,
        bool_or(has_baseline) as has_baseline
    from {{ ref('int_roll_up_features_listed') }}
    where category <> pooled_category
    group by suite, pooled_category, feature
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
),

-- What a scorer says that its feature can be; what the suite declares itself goes before it.
possible as (
    select
        rules.suite,
        rules.feature,
        min(features.range_low) as range_low,
        max(features.range_high) as range_high
    from {{ ref('stg_suite__outcome_rules') }} as rules
    inner join {{ ref('int_suite_scorers_selected') }} as scorers
        on
            rules.suite = scorers.suite
            and rules.scorer = scorers.scorer
    inner join {{ ref('stg_extract__scorer_features') }} as features
        on
            scorers.scorer_key = features.scorer_key
            and rules.scorer_feature = features.feature
    where rules.rule_kind = 'score'
    group by rules.suite, rules.feature
    union all
    select distinct
        suite,
        feature,
        0e0 as range_low,
        1e0 as range_high
    from {{ ref('stg_suite__outcome_rules') }}
    where is_probability
)

select
    pooled.suite,
    pooled.category,
    pooled.feature,
    pooled.has_baseline,
    case when declared.feature is null then possible.range_low else declared.range_low end as range_low,
    case when declared.feature is null then possible.range_high else declared.range_high end as range_high,
    dense_rank() over (order by pooled.suite, pooled.feature) - 1 as feature_id
from pooled
left join declared
    on
        pooled.suite = declared.suite
        and pooled.feature = declared.feature
left join possible
    on
        pooled.suite = possible.suite
        and pooled.feature = possible.feature
