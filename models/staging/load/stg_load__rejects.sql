-- Grain: one row per reject_key.
with source as (
    select * from {{ source('raw', 'rejects') }}
)

select
    reject_key,
    suite,
    source_file,
    source_row,
    reason,
    detail,
    run_id
from source
