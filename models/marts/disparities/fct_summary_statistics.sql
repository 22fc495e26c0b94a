-- Grain: one row per suite, category, config, axis, group_value, feature, calibration, statistic, parameters.
with computed as (
    select * from {{ ref('int_statistics_computed') }}
),

analyses as (
    select * from {{ ref('int_group_features_listed') }}
),

resampled as (
    select * from {{ ref('int_feature_analyses_resampled') }}
    where disparity = 'group_value'
),

asked as (
    select * from {{ ref('int_resampling_requested') }}
),

baselines as (
    select * from {{ ref('int_baselines_classified') }}
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
    {{ inference_status('computed.value', 'asked.suite is not null', 'resampled.ci_low') }} as ci_status,
    computed.n,
    computed.n_missing,
    computed.unit,
    case when analyses.calibration = 'baseline' then baselines.baseline_kind end as baseline_kind,
    1 as metric_version
from computed
inner join analyses on computed.group_feature_key = analyses.group_feature_key
left join resampled
    on
        analyses.analysis_key = resampled.analysis_key
        and analyses.group_value = resampled.group_value
        and computed.statistic = resampled.statistic
        and computed.parameters = resampled.parameters
left join asked
    on
        analyses.suite = asked.suite
        and computed.statistic = asked.statistic
        and computed.parameters = asked.parameters
left join baselines
    on
        analyses.suite = baselines.suite
        and analyses.category = baselines.category
