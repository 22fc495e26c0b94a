-- Grain: one row per suite: the audit's day, which is when the suite was last brought in.
select
    files.suite,
    cast(runs.started_at as date) as audited_on
from {{ ref('stg_suite__files') }} as files
inner join {{ ref('stg_pipeline__runs') }} as runs using (run_id)
