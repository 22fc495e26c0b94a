-- Every record of a loaded file was loaded, already there, or rejected with a reason (SPEC DQ-7, DQ-8).
select
    run_id,
    source_file,
    n_records,
    n_loaded,
    n_already_there,
    n_rejected
from {{ ref('stg_load__loads') }}
where n_records is distinct from n_loaded + n_already_there + n_rejected
union all
select
    run_id,
    source_file,
    null as n_records,
    null as n_loaded,
    null as n_already_there,
    null as n_rejected
from {{ ref('stg_load__rejects') }}
where (length(trim(reason)) > 0) is not true
