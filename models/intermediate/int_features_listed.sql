-- Grain: one row per suite, category, feature. feature_id belongs to (suite, feature).
with measured as (
    select
        suite,
        category,
        feature,
        count(baseline_value) > 0 as has_baseline
    from {{ ref('int_measurements_answered') }}
    group by suite, category, feature
),

declared as (
    select * from {{ ref('stg_suite__features') }}
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
