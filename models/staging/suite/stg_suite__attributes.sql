-- Grain: one row per suite, attribute, value.
with attributes as (
    select
        suite,
        {{ unnested_in_places(
            json_members('definition', 'attributes'), 'attribute', 'attribute_position', first=0
        ) }}
    from {{ source('raw', 'suites') }}
),

attribute_values as (
    select
        attributes.suite,
        attributes.attribute.key as attribute,
        attributes.attribute_position,
        {{ unnested_in_places(
            json_members('attributes.attribute.value'), 'member', 'value_position', first=0
        ) }}
    from attributes
)

select
    attribute_values.suite,
    attribute_values.attribute,
    attribute_values.attribute_position,
    attribute_values.member.key as value,
    attribute_values.value_position
from attribute_values
