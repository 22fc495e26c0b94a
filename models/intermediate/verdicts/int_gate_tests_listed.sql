-- Grain: one row per profile, suite, category, config_key, measure, axis, metric, group_value: numbers whose
-- p-values a family corrects together. `table_key` is what shares its relabellings.
with profiles as (
    select
        suite,
        unnest(profiles) as profile
    from {{ ref('stg_suite__suites') }}
)

select
    profiles.profile,
    {{ analysis_columns('numbers') }},
    numbers.config_key,
    numbers.measure,
    numbers.axis,
    numbers.metric,
    numbers.group_value,
    hash(numbers.suite, numbers.config_key) as family_key,
    hash(numbers.category, numbers.config_key, numbers.measure, numbers.axis) as table_key,
    coalesce(numbers.p_adjusted, numbers.p_value) as p_value,
    coalesce(resampled.tail, measured.tail) as tail,
    coalesce(resampled.null_tails, measured.null_tails) as null_tails
from {{ ref('int_judged_numbers_collected') }} as numbers
inner join profiles on numbers.suite = profiles.suite
left join {{ ref('int_analyses_resampled') }} as resampled
    on
        numbers.analysis_key = resampled.analysis_key
        and numbers.statistic = resampled.statistic
        and resampled.group_value = ''
left join {{ ref('int_feature_analyses_resampled') }} as measured
    on
        numbers.analysis_key = measured.analysis_key
        and numbers.statistic = measured.statistic
        and numbers.parameters = measured.parameters
        and measured.disparity = 'min_max_ratio'
        and measured.group_value = ''
semi join {{ ref('thresholds') }} as thresholds
    on
        profiles.profile = thresholds.profile
        and numbers.metric = thresholds.metric
        and thresholds.axis_kind in ('any', numbers.axis_kind)
where
    not numbers.is_control
    and numbers.p_value is not null
