-- Grain: one row per suite.
select
    suite,
    name,
    n_outcomes,
    last_ended_at,
    run_id
from {{ source('raw', 'earlier_runs') }}
