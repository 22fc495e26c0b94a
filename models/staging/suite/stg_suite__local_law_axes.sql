-- Grain: one row per suite, axis: what Local Law 144's tables are made over.
with axes as (
    select
        suite,
        {{ members('definition', 'local_law_144.axes') }} as axis,
        cast({{ json_text('definition', 'local_law_144.minimum_share') }} as double) as minimum_share
    from {{ source('raw', 'suites') }}
)

select
    axes.suite,
    axes.axis.key as axis,
    {{ json_text('axes.axis.value') }} as axis_role,
    axes.minimum_share
from axes
