-- Grain: one row per suite, attribute, value.
with attributes as (
    select
        suite,
        {{ members("definition -> 'attributes'") }} as attribute,
        {{ positions("definition -> 'attributes'") }} as attribute_position
    from {{ source('raw', 'suites') }}
)

select
    suite,
    attribute.key as attribute,
    attribute_position,
    unnest(json_keys(attribute.value)) as value,
    {{ positions('attribute.value') }} as value_position
from attributes
