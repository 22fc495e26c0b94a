-- Grain: one row per suite, category, config, axis, group_value, feature, calibration, statistic, parameters.
with computed as (
    select * from {{ ref('int_statistics_computed') }}
),

analyses as (
    select * from {{ ref('int_group_features_listed') }}
),

declared as (
    select * from {{ ref('statistics') }}
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
    analyses.axis,
    analyses.group_value,
    analyses.feature,
    analyses.calibration,
    declared.statistic,
    coalesce(declared.parameters, '') as parameters,
    computed.value,
    computed.status,
    resampled.ci_low,
    resampled.ci_high,
    {{ inference_status('computed.value', 'asked.suite is not null', 'resampled.ci_low') }} as ci_status,
    computed.n,
    computed.n_missing,
    declared.unit,
    case when analyses.calibration = 'baseline' then baselines.baseline_kind end as baseline_kind,
    1 as metric_version
from computed
inner join analyses on computed.sample_id = analyses.sample_id
inner join declared on computed.statistic_id = declared.statistic_id
left join resampled
    on
        analyses.family_id = resampled.family_id
        and analyses.group_id = resampled.group_id
        and computed.statistic_id = resampled.statistic_key
left join asked
    on
        analyses.suite = asked.suite
        and computed.statistic_id = asked.statistic_key
left join baselines
    on
        analyses.suite = baselines.suite
        and analyses.category = baselines.category
