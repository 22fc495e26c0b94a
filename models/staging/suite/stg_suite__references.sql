-- Grain: one row per suite, axis.
with axes as (
    select
        suite,
        {{ unnested(json_items('definition', 'reference')) }} as axis
    from {{ source('raw', 'suites') }}
)

select
    suite,
    {{ json_text('axis', 'axis') }} as axis,
    {{ json_text('axis', 'kind') }} as reference_kind,
    {{ json_text('axis', 'group') }} as group_value
from axes
