-- Grain: one row per suite, category, feature: what is diagnosed of a category.
-- A scorer measures more than was asked: of a text, what a score rule reads; of ready measurements, all; of
-- vectors, what the suite asks for.
with of_vectors as (
    select
        suite,
        feature,
        'none' as segment
    from {{ ref('stg_suite__distances') }}
    union all
    select
        features.suite,
        features.feature,
        topics.segment
    from {{ ref('int_topic_features_listed') }} as features
    inner join {{ ref('stg_suite__topics') }} as topics
        on
            features.suite = topics.suite
            and features.topic_set = topics.topic_set
),

asked as (
    select distinct
        suite,
        category,
        feature,
        'none' as segment
    from {{ ref('stg_suite__outcome_rules') }}
    where rule_kind = 'score'
    union
    select
        categories.suite,
        categories.category,
        of_vectors.feature,
        of_vectors.segment
    from {{ ref('stg_suite__categories') }} as categories
    inner join of_vectors on categories.suite = of_vectors.suite
)

select
    answered.suite,
    answered.category,
    answered.feature,
    -- Within what the numbers mean the same: the first topic of two categories is two topics.
    coalesce(max(asked.segment), 'none') as segment,
    count(answered.value) > 0 as has_values,
    count(answered.baseline_value) > 0 as has_baseline,
    min(answered.scorer) as scorer
from {{ ref('int_responses_measured') }} as answered
left join asked
    on
        answered.suite = asked.suite
        and answered.category = asked.category
        and answered.feature = asked.feature
where answered.scorer = 'ready' or asked.feature is not null
group by answered.suite, answered.category, answered.feature
