-- Grain: one row per metric, metric_version.
select * from {{ ref('dim_metrics') }}
