-- Grain: one row per reject_key.
select
    reject_key,
    suite,
    source_file,
    source_row,
    reason,
    detail,
    run_id
from {{ source('raw', 'rejects') }}
