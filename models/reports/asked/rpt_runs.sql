-- Grain: one row per run_id.
select * from {{ ref('dim_runs') }}
