-- Grain: one row per run_id.
with source as (
    select * from {{ source('raw', 'runs') }}
)

select
    run_id,
    command,
    started_at,
    ended_at,
    run_status,
    detail,
    versions
from source
