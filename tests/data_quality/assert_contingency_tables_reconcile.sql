-- The cells of a table add up to its groups, its outcomes and the responses analysed (SPEC DQ-8).
with cells as (
    select * from {{ ref('int_outcomes_counted') }}
),

by_group as (
    select
        analysis_key,
        group_value as margin,
        sum(n_cell) as n_added,
        max(n_group) as n_stated,
        sum(share) as share_added
    from cells
    group by analysis_key, group_value
),

by_outcome as (
    select
        analysis_key,
        outcome as margin,
        sum(n_cell) as n_added,
        max(n_outcome) as n_stated,
        1.0 as share_added
    from cells
    group by analysis_key, outcome
),

by_analysis as (
    select
        analysis_key,
        sum(n_cell) as n_added,
        sum(n_expected) as n_expected
    from cells
    group by analysis_key
),

listed as (
    select
        analysis_key,
        n
    from {{ ref('int_analyses_listed') }}
    where measure_kind = 'outcome' and n > 0
)

select
    analysis_key,
    margin,
    n_added,
    n_stated
from by_group
where n_added is distinct from n_stated or (abs(share_added - 1) <= 1e-9) is not true
union all
select
    analysis_key,
    margin,
    n_added,
    n_stated
from by_outcome
where n_added is distinct from n_stated
union all
select
    coalesce(by_analysis.analysis_key, listed.analysis_key) as analysis_key,
    '' as margin,
    by_analysis.n_added,
    listed.n as n_stated
from by_analysis
full join listed on by_analysis.analysis_key = listed.analysis_key
where
    by_analysis.n_added is distinct from listed.n
    or (abs(by_analysis.n_expected - listed.n) <= 1e-6) is not true
