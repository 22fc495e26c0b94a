-- Grain: one row per plan_key.
select
    plan_key,
    suite,
    n_looks,
    n_roots,
    started_at
from {{ source('raw', 'watch_plans') }}
