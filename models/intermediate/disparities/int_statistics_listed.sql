-- Grain: one row per analysis_key, statistic, parameters, group_value: what disparities are computed from.
with samples as (
    select
        listed.group_feature_key,
        listed.group_value,
        suites.minimum_cell
    from {{ ref('int_group_features_listed') }} as listed
    inner join {{ ref('int_suite_settings_kept') }} as suites using (suite)
)

select
    computed.analysis_key,
    computed.statistic,
    computed.parameters,
    computed.unit,
    samples.group_value,
    computed.value,
    computed.n,
    computed.n_missing,
    -- A group below the suite's minimum cell has its statistics, but is not compared.
    computed.value is not null and computed.n >= samples.minimum_cell as is_compared,
    -- Were its missing answers there, it would be.
    computed.n < samples.minimum_cell and computed.n + computed.n_missing >= samples.minimum_cell as is_silent
from {{ ref('int_statistics_computed') }} as computed
inner join samples using (group_feature_key)
