-- A side that was compared with all of its answers has the values that it has alone.
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
        listed.side_a as side_id,
        resampled.value_a as value,
        resampled.n_unpaired_a as n_unpaired
    from listed
    inner join resampled
        on
            listed.pair_id = resampled.pair_id
            and listed.table_id = resampled.table_id
    union all
    select
        listed.*,
        resampled.statistic,
        resampled.group_value,
        listed.side_b as side_id,
        resampled.value_b as value,
        resampled.n_unpaired_b as n_unpaired
    from listed
    inner join resampled
        on
            listed.pair_id = resampled.pair_id
            and listed.table_id = resampled.table_id
)

select
    either.*,
    alone.value as value_alone
from either
inner join {{ ref('int_config_runs_listed') }} as sides on either.side_id = sides.side_id
inner join analyses
    on
        either.kind = analyses.kind
        and either.suite = analyses.suite
        and either.category = analyses.category
        and either.measure = analyses.measure
        and either.axis = analyses.axis
        and sides.config = analyses.config
left join alone
    on
        analyses.analysis_id = alone.analysis_id
        and either.statistic = alone.statistic
        and either.group_value = alone.group_value
where
    sides.run = 'this'
    and either.n_unpaired = 0
    and (
        (either.value is null) <> (alone.value is null)
        or abs(either.value - alone.value) > 1e-9
    )
