-- Grain: one row per prompt_key, axis: the prompt's group, and its key in an address.
with axes as (
    select distinct
        suite,
        category,
        axis,
        axis_position
    from {{ ref('fct_attribute_presence') }}
),

attributes as (
    select
        suite,
        category,
        axis,
        axis_position,
        {{ unnested_in_places("split(axis, ' & ')", 'axis_attribute', 'attribute_rank') }}
    from axes
),

grouped as (
    select
        prompts.prompt_key,
        prompts.suite,
        prompts.category,
        attributes.axis,
        attributes.axis_position,
        count(*) as n_attributes,
        {{ ordered_text(
            map_value('prompts.attributes', 'attributes.axis_attribute'), "' & '", 'attributes.attribute_rank'
        ) }} as group_value,
        count({{ map_value('prompts.attributes', 'attributes.axis_attribute') }}) as n_known
    from {{ ref('dim_prompts') }} as prompts
    inner join attributes using (suite, category)
    group by
        prompts.prompt_key, prompts.suite, prompts.category, attributes.axis, attributes.axis_position
)

select
    {{ contract_columns(without=['category_slug', 'group_key']) }},
    suite || '-' || category as category_slug,
    {{ page_key('axis', 'group_value') }} as group_key
from grouped
where n_known = n_attributes
