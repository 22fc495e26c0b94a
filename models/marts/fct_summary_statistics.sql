-- Grain: one row per suite, category, config, axis, group_value, feature, calibration, statistic, parameters.
with computed as (
    select * from {{ ref('int_statistics_computed') }}
),

samples as (
    select * from {{ ref('int_samples_listed') }}
),

statistics as (
    select * from {{ ref('statistics') }}
),

resampled as (
    select * from {{ ref('int_families_resampled') }}
    where disparity = 'group_value'
)

select
    {{ analysis_columns('samples') }},
    samples.axis,
    samples.group_value,
    samples.feature,
    samples.calibration,
    statistics.statistic,
    coalesce(statistics.parameters, '') as parameters,
    computed.value,
    computed.status,
    resampled.ci_low,
    resampled.ci_high,
    computed.n,
    computed.n_missing,
    statistics.unit,
    1 as metric_version
from computed
inner join samples on computed.sample_id = samples.sample_id
inner join statistics on computed.statistic_id = statistics.statistic_id
left join resampled
    on
        samples.family_id = resampled.family_id
        and samples.group_id = resampled.group_id
        and computed.statistic_id = resampled.statistic_key
