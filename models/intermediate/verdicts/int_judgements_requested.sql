-- Grain: one row per suite, profile, metric, axis_kind: the numbers that profiles judge, whatever the limits.
select
    suite,
    profile,
    is_gate_profile,
    metric,
    axis_kind,
    unit,
    direction,
    is_beside
from {{ ref('int_limits_applied') }}
