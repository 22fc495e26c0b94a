-- Grain: one row per suite, category, config, axis, group_value, feature, calibration, statistic, parameters.
with resampled as (
    select * from {{ ref('int_disparities_inferred') }}
    where disparity = 'group_value'
)

select
    {{ analysis_columns() }},
    analyses.roll_up,
    analyses.pooled_categories,
    analyses.axis,
    analyses.group_value,
    analyses.feature,
    analyses.calibration,
    computed.statistic,
    computed.parameters,
    computed.value,
    computed.status,
    resampled.ci_low,
    resampled.ci_high,
    -- All groups are drawn at once: where one has an interval, there were units enough.
    {{ inference_status(
        'computed.value', 'asked.suite is not null', 'resampled.ci_low',
        'resampled.n_units is not null and bool_or(resampled.ci_low is not null) over '
        ~ '(partition by computed.analysis_key, computed.statistic, computed.parameters)'
    ) }} as ci_status,
    computed.n,
    computed.n_missing,
    computed.unit,
    case when analyses.calibration = 'baseline' then baselines.baseline_kind end as baseline_kind,
    1 as metric_version
from {{ ref('int_statistics_computed') }} as computed
inner join {{ ref('int_group_features_listed') }} as analyses using (analysis_key, group_feature_key)
left join resampled using (analysis_key, group_value, statistic, parameters)
left join {{ ref('int_resampling_requested') }} as asked using (suite, statistic, parameters)
left join {{ ref('int_baselines_classified') }} as baselines using (suite, category)
