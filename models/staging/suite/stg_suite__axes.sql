-- Grain: one row per suite, category, axis.
with source as (
    select * from {{ source('raw', 'suite_axes') }}
)

select
    suite,
    category,
    axis,
    axis_position,
    attributes
from source
