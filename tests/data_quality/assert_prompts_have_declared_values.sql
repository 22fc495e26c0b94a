-- The attributes of a prompt and their values are the suite's own (SPEC DQ-5, CON-5).
with held as (
    select
        prompt_key,
        suite,
        {{ unnested_together({'attribute': 'map_keys(attributes)', 'value': 'map_values(attributes)'}) }}
    from {{ ref('stg_assemble__prompts') }}
)

select held.*
from held
left join {{ ref('stg_suite__attributes') }} as declared
    on
        held.suite = declared.suite
        and held.attribute = declared.attribute
        and held.value = declared.value
where declared.attribute is null
