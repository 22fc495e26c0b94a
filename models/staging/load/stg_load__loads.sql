-- Grain: one row per run_id.
select
    run_id,
    suite,
    source_file,
    file_sha256,
    n_records,
    n_loaded,
    n_already_there,
    n_rejected
from {{ source('raw', 'loads') }}
