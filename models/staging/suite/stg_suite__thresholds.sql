-- Grain: one row per suite, profile, metric, axis_kind.
with thresholds as (
    select * from {{ source('raw', 'suite_thresholds') }}
)

select
    suite,
    profile,
    metric,
    axis_kind,
    unit,
    direction,
    green_limit,
    red_limit,
    is_gated,
    source,
    note
from thresholds
