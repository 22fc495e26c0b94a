-- Grain: one row per analysis_key, group_value, outcome, value: answers that were read of groups that no
-- table holds, as too few were; of a group without any, one row. With what is missing they would be compared.
with silent as (
    select
        analyses.analysis_key,
        missing.group_value,
        missing.n_missing
    from {{ ref('int_analyses_listed') }} as analyses
    inner join {{ ref('stg_suite__suites') }} as suites using (suite)
    inner join {{ ref('int_missing_answers_counted') }} as missing
        using (suite, category, config_key, measure, axis)
    where
        missing.group_value <> ''
        and missing.n_responses >= suites.minimum_cell
        and missing.n_responses - missing.n_missing < suites.minimum_cell
),

analysed as (
    select
        analysis_key,
        group_value,
        outcome,
        value,
        is_excluded
    from {{ ref('int_responses_analysed') }}
    semi join silent using (analysis_key)
),

counted as (
    select
        analysis_key,
        group_value,
        outcome,
        value,
        count(*) as n_read
    from analysed
    where is_excluded
    group by all
),

-- Those that the tables hold are coded as there; others follow.
codes as (
    select
        analysis_key,
        outcome,
        row_number() over (
            partition by analysis_key order by bool_and(is_excluded) asc, outcome asc
        ) - 1 as outcome_code
    from analysed
    group by analysis_key, outcome
)

select
    silent.analysis_key,
    silent.group_value,
    counted.outcome,
    codes.outcome_code,
    counted.value,
    coalesce(counted.n_read, 0) as n_read,
    silent.n_missing
from silent
left join counted
    on
        silent.analysis_key = counted.analysis_key
        and silent.group_value = counted.group_value
left join codes
    on
        counted.analysis_key = codes.analysis_key
        and counted.outcome = codes.outcome
-- Sums of numbers depend on their order.
order by silent.analysis_key, silent.group_value, codes.outcome_code, counted.value
