-- Grain: one row per suite, attribute, value.
with attributes as (
    select
        suite,
        {{ members("definition -> 'attributes'") }} as attribute,
        {{ positions("definition -> 'attributes'") }} as attribute_position
    from {{ source('raw', 'suites') }}
)

select
    attributes.suite,
    attributes.attribute.key as attribute,
    attributes.attribute_position,
    unnest(json_keys(attributes.attribute.value)) as value,
    {{ positions('attributes.attribute.value') }} as value_position
from attributes
