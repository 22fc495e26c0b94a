-- Grain: one row per suite, attribute, value.
with source as (
    select * from {{ source('raw', 'suite_attributes') }}
)

select
    suite,
    attribute,
    attribute_position,
    value,
    value_position
from source
