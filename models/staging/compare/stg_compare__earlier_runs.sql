-- Grain: one row per suite.
with source as (
    select * from {{ source('raw', 'earlier_runs') }}
)

select
    suite,
    name,
    n_outcomes,
    last_ended_at,
    run_id
from source
