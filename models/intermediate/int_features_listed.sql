-- Grain: one row per suite, category, feature: what is diagnosed. feature_id belongs to (suite, feature).
-- A scorer measures more than was asked: of a text, what a score rule reads; of ready measurements, all.
with asked as (
    select distinct
        suite,
        category,
        feature
    from {{ ref('stg_suite__outcome_rules') }}
    where rule_kind = 'score'
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

roll_ups as (
    select distinct
        suite,
        category,
        pooled_category
    from {{ ref('int_roll_ups_listed') }}
    where category <> pooled_category
),

pooled as (
    select * from measured
    union all
    select
        measured.suite,
        roll_ups.pooled_category as category,
        measured.feature,
        bool_or(measured.has_baseline) as has_baseline
    from measured
    inner join roll_ups
        on
            measured.suite = roll_ups.suite
            and measured.category = roll_ups.category
    group by measured.suite, roll_ups.pooled_category, measured.feature
),

declared as (
    select * from {{ ref('stg_suite__features') }}
)

select
    pooled.suite,
    pooled.category,
    pooled.feature,
    pooled.has_baseline,
    declared.range_low,
    declared.range_high,
    dense_rank() over (order by pooled.suite, pooled.feature) - 1 as feature_id
from pooled
left join declared
    on
        pooled.suite = declared.suite
        and pooled.feature = declared.feature
