-- Grain: one row.
select * from {{ ref('dim_builds') }}
