-- Grain: one row per suite, axis.
with source as (
    select * from {{ source('raw', 'suite_references') }}
)

select
    suite,
    axis,
    reference_kind,
    group_value
from source
