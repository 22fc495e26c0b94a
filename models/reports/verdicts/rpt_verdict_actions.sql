-- Grain: one row per position: the steps, with the verdicts of the gate's profile that call for each.
with counted as (
    select
        verdict,
        coalesce(lacks, '') as lacks,
        count(*) as n_verdicts
    from {{ ref('fct_verdicts') }}
    where is_gated
    group by verdict, coalesce(lacks, '')
),

totals as (
    select
        verdict,
        sum(n_verdicts) as n_verdicts
    from counted
    group by verdict
)

select
    actions.verdict,
    actions.lacks,
    actions.position,
    actions.action,
    actions.who,
    actions.evidence,
    cast(
        coalesce(case when actions.lacks = '' then totals.n_verdicts else counted.n_verdicts end, 0) as bigint
    ) as n_verdicts
from {{ ref('dim_verdict_actions') }} as actions
left join totals on actions.verdict = totals.verdict
left join counted on actions.verdict = counted.verdict and actions.lacks = counted.lacks
