-- Grain: one row per suite, axis.
with axes as (
    select
        suite,
        unnest(cast(definition -> 'reference' as json[])) as axis
    from {{ source('raw', 'suites') }}
)

select
    suite,
    axis ->> 'axis' as axis,
    axis ->> 'kind' as reference_kind,
    axis ->> 'group' as group_value
from axes
