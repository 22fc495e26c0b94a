-- Grain: one row per position: the steps, with the comparisons that call for each.
with steps as (
    select * from {{ ref('dim_verdict_actions') }}
),

-- A question by an attribute of one config: as its gravest number, and what it lacks first of all.
comparisons as (
    select
        judged.suite,
        judged.category,
        judged.config,
        judged.axis,
        min_by(judged.verdict, judged.verdict_rank) as verdict,
        min(steps.position) as position
    from {{ ref('rpt_verdicts') }} as judged
    left join steps
        on
            judged.verdict = steps.verdict
            and nullif(judged.lacks, '') = steps.lacks
    where judged.is_gated
    group by judged.suite, judged.category, judged.config, judged.axis
),

totals as (
    select
        verdict,
        count(*) as n_comparisons
    from comparisons
    group by verdict
),

lacking as (
    select
        position,
        count(*) as n_comparisons
    from comparisons
    where verdict = 'inconclusive'
    group by position
)

select
    steps.verdict,
    steps.lacks,
    steps.position,
    steps.action,
    steps.who,
    steps.evidence,
    cast(
        coalesce(case when steps.lacks = '' then totals.n_comparisons else lacking.n_comparisons end, 0)
        as bigint
    ) as n_comparisons
from steps
left join totals on steps.verdict = totals.verdict
left join lacking on steps.position = lacking.position
