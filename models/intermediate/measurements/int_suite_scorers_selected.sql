-- Grain: one row per suite, scorer name: what the last run of extract measured this suite with. Of vectors
-- and votes there is one version of a name, of whichever suite it was used for last.
-- How alike texts are is measured by stems of the suite's language, so suites have scorers of their own.
with scorers as (
    select
        scorer_key,
        scorer
    from {{ ref('stg_extract__scorers') }}
),

runs as (
    select
        {{ json_text('detail', 'suite') }} as suite,
        started_at,
        detail
    from {{ ref('stg_pipeline__runs') }}
    where command = 'extract'
),

used as (
    select
        runs.suite,
        scorers.scorer,
        scorers.scorer_key,
        max(runs.started_at) as last_used_at
    from scorers
    inner join runs
        on {{ json_entry('runs.detail', 'scorers', 'scorers.scorer') }} = scorers.scorer_key
    where runs.suite is not null
    group by runs.suite, scorers.scorer, scorers.scorer_key
),

shared as (
    select
        selected.scorer,
        selected.scorer_key
    from {{ ref('int_scorers_selected') }} as selected
    left join {{ ref('stg_extract__judge_members') }} as members using (scorer_key)
    where selected.is_encoder or members.scorer_key is not null
    group by selected.scorer, selected.scorer_key
)

select
    used.suite,
    used.scorer,
    coalesce(shared.scorer_key, used.scorer_key) as scorer_key
from used
left join shared using (scorer)
qualify row_number() over (
    partition by used.suite, used.scorer
    order by used.last_used_at desc, used.scorer_key asc
) = 1
