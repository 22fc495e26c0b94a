-- Grain: one row per suite.
select
    suite,
    suite_key,
    file_sha256,
    run_id
from {{ source('raw', 'suites') }}
