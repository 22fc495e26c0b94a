-- Grain: one row per suite, profile, metric, axis_kind, statistic: the numbers that profiles judge, whatever
-- the limits.
select
    suite,
    profile,
    is_gate_profile,
    metric,
    axis_kind,
    statistic,
    unit,
    direction,
    is_beside
from {{ ref('int_limits_applied') }}
