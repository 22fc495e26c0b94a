-- The attributes of a prompt and their values are the suite's own (SPEC DQ-5, CON-5).
with held as (
    select
        prompt_key,
        suite,
        unnest(map_entries(attributes)) as entry
    from {{ ref('stg_assemble__prompts') }}
)

select
    held.prompt_key,
    held.entry.key as attribute,
    held.entry.value as value
from held
left join {{ ref('stg_suite__attributes') }} as declared
    on
        held.suite = declared.suite
        and held.entry.key = declared.attribute
        and held.entry.value = declared.value
where declared.attribute is null
