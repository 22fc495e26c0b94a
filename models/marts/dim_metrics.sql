-- Grain: one row per metric, metric_version: the metric dictionary.
select
    metric,
    cast(metric_version as integer) as metric_version,
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
    explanation
from {{ ref('metrics') }}
