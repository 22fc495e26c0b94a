-- Grain: one row per compared, suite, category, config_a, config_b, measure, axis, metric, group_value.
-- config_b less config_a: the share of favourable outcomes, or the mean score, of one group.
with config_runs as (
    select * from {{ ref('int_config_runs_listed') }}
),

statistics as (
    select * from {{ ref('compared_statistics') }}
    where level = 'group'
),

resampled as (
    select * from {{ ref('int_config_differences_resampled') }}
    where group_value <> ''
),

tests as (
    select
        {{ config_run_columns('listed', 'a', 'b') }},
        listed.measure,
        listed.axis,
        statistics.metric,
        resampled.group_value,
        statistics.unit,
        resampled.value_a,
        resampled.value_b,
        resampled.difference,
        resampled.status,
        resampled.ci_low,
        resampled.ci_high,
        resampled.ci_status,
        resampled.p_value,
        resampled.null_median,
        resampled.null_p05,
        resampled.null_p95,
        resampled.n as n_pairs,
        resampled.n_unpaired_a,
        resampled.n_unpaired_b,
        resampled.resampling_unit,
        resampled.n_units,
        listed.is_control,
        case when not listed.is_control then resampled.p_value end as family_p
    from {{ ref('int_config_differences_listed') }} as listed
    inner join config_runs as a on listed.config_run_a = a.config_run_key
    inner join config_runs as b on listed.config_run_b = b.config_run_key
    inner join statistics on listed.measure_kind = statistics.kind
    inner join resampled using (pair_id, analysis_key, statistic)
),

adjusted as (
    {{ with_adjusted_p('tests', 'family_p', ['compared', 'suite', 'config_a', 'config_b', 'metric']) }}
)

select
    {{ contract_columns(without=['n_tests', 'metric_version']) }},
    cast(n_tests as bigint) as n_tests,
    1 as metric_version
from adjusted
