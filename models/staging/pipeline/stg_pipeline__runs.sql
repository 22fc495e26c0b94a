-- Grain: one row per run_id.
select
    run_id,
    command,
    started_at,
    ended_at,
    run_status,
    detail,
    versions
from {{ source('raw', 'runs') }}
