-- Grain: one row per suite, scorer name: what the last run of extract measured this suite with.
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
)

select
    suite,
    scorer,
    scorer_key
from used
qualify row_number() over (partition by suite, scorer order by last_used_at desc, scorer_key asc) = 1
