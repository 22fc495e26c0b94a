-- A config that was compared with all of its answers has the values that it has alone.
with listed as (
    select * from {{ ref('int_config_differences_listed') }}
),

resampled as (
    select * from {{ ref('int_config_differences_resampled') }}
),

analyses as (
    select * from {{ ref('int_analyses_listed') }}
),

alone as (
    select * from {{ ref('int_analyses_resampled') }}
),

either as (
    select
        listed.*,
        resampled.statistic,
        resampled.group_value,
        listed.config_run_a as config_run_key,
        resampled.value_a as value,
        resampled.n_unpaired_a as n_unpaired
    from listed
    inner join resampled
        on
            listed.pair_id = resampled.pair_id
            and listed.analysis_key = resampled.analysis_key
    union all
    select
        listed.*,
        resampled.statistic,
        resampled.group_value,
        listed.config_run_b as config_run_key,
        resampled.value_b as value,
        resampled.n_unpaired_b as n_unpaired
    from listed
    inner join resampled
        on
            listed.pair_id = resampled.pair_id
            and listed.analysis_key = resampled.analysis_key
)

select
    either.*,
    alone.value as value_alone
from either
inner join {{ ref('int_config_runs_listed') }} as config_runs
    on either.config_run_key = config_runs.config_run_key
inner join analyses
    on
        case either.measure_kind when 'status' then 'outcome' else either.measure_kind end
        = analyses.measure_kind
        and either.suite = analyses.suite
        and either.category = analyses.category
        and either.measure = analyses.measure
        and either.axis = analyses.axis
        and config_runs.config = analyses.config
left join alone
    on
        analyses.analysis_key = alone.analysis_key
        and either.statistic = alone.statistic
        and either.group_value = alone.group_value
where
    config_runs.run = 'this'
    and either.n_unpaired = 0
    and (
        (either.value is null) <> (alone.value is null)
        or abs(either.value - alone.value) > 1e-9
    )
