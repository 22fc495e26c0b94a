-- Grain: one row per metric, metric_version: the metric dictionary (docs/metrics.md is the same as a page).
select
    metric,
    metric_version,
    title,
    formula,
    unit,
    range_low,
    range_high,
    attainable_bound,
    better,
    mart,
    "column",
    source,
    spec,
    explanation,
    also_in,
    row_filter,
    edge_cases,
    assumptions,
    misuse,
    peer_variant
from {{ ref('metrics') }}
