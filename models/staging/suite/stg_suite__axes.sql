-- Grain: one row per suite, category, axis.
select
    suite,
    category,
    axis,
    axis_position,
    attributes
from {{ source('raw', 'suite_axes') }}
