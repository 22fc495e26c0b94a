-- Grain: one row per suite, category, config, axis, group_value, feature, calibration, statistic, parameters.
with computed as (
    select * from {{ ref('int_statistics_computed') }}
),

samples as (
    select * from {{ ref('int_samples_listed') }}
),

statistics as (
    select * from {{ ref('statistics') }}
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
    computed.n,
    computed.n_missing,
    statistics.unit,
    1 as metric_version
from computed
inner join samples on computed.sample_id = samples.sample_id
inner join statistics on computed.statistic_id = statistics.statistic_id
