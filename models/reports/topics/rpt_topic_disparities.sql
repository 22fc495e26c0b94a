-- Grain: one row per suite, category, feature, config, axis: how far the groups' shares of a topic lie apart.
with topics as (
    select distinct
        suite,
        topic_set,
        topic_position,
        feature
    from {{ ref('dim_topics') }}
),

ranges as (
    select * from {{ ref('fct_disparities') }}
    where
        statistic = 'mean'
        and disparity = 'range'
        and calibration = 'none'
        and not is_control
        and config <> 'baseline'
        and not contains(axis, '&')
)

select
    ranges.suite,
    ranges.category,
    ranges.config,
    ranges.is_simulated,
    topics.topic_set,
    topics.topic_position,
    ranges.feature,
    ranges.axis,
    ranges.value as share_range,
    ranges.ci_low,
    ranges.ci_high,
    ranges.null_median,
    ranges.null_p95,
    ranges.p_value,
    ranges.p_holm,
    ranges.n_tests,
    {{ groups_in_words('ranges.group_low') }} as group_low,
    {{ groups_in_words('ranges.group_high') }} as group_high,
    ranges.n_groups,
    ranges.n,
    ranges.resampling_unit,
    ranges.n_units,
    {{ status_in_words('ranges.status') }} as note
from ranges
inner join topics using (suite, feature)
