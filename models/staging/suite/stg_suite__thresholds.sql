-- Grain: one row per suite, profile, metric, axis_kind.
with thresholds as (
    select
        suite,
        unnest(cast(definition -> 'thresholds' as json[])) as threshold
    from {{ source('raw', 'suites') }}
)

select
    suite,
    threshold ->> 'profile' as profile,
    threshold ->> 'metric' as metric,
    threshold ->> 'axes' as axis_kind,
    threshold ->> 'unit' as unit,
    threshold ->> 'direction' as direction,
    cast(threshold -> 'green_limit' as double) as green_limit,
    cast(threshold -> 'red_limit' as double) as red_limit,
    cast(threshold -> 'gate' as boolean) as is_gated,
    'The suite' as source,  -- noqa: RF04
    threshold ->> 'note' as note
from thresholds
