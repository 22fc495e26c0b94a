-- Grain: one row per suite, axis: what Local Law 144's tables are made over.
with axes as (
    select
        suite,
        {{ members("definition -> '$.local_law_144.axes'") }} as axis,
        cast(definition -> '$.local_law_144.minimum_share' as double) as minimum_share
    from {{ source('raw', 'suites') }}
)

select
    suite,
    axis.key as axis,
    axis.value ->> '$' as axis_role,
    minimum_share
from axes
