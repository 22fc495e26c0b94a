-- Grain: one row per suite, attribute, value.
select
    suite,
    attribute,
    attribute_position,
    value,
    value_position
from {{ source('raw', 'suite_attributes') }}
