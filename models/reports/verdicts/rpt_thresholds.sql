-- Grain: one row per profile, metric, axis_kind.
select
    profile,
    metric,
    axis_kind,
    unit,
    direction,
    green_limit,
    red_limit,
    source,
    note
from {{ ref('thresholds') }}
