-- Grain: one row per prompt_key, axis. Only axes all of whose attributes the prompt has.
with prompts as (
    select * from {{ ref('stg_assemble__prompts') }}
),

axes as (
    select
        suite,
        category,
        axis,
        axis_position,
        len(attributes) as n_attributes,
        unnest(attributes) as attribute,
        generate_subscripts(attributes, 1) as attribute_rank
    from {{ ref('stg_suite__axes') }}
),

attribute_values as (
    select * from {{ ref('stg_suite__attributes') }}
),

parts as (
    select
        prompts.prompt_key,
        prompts.suite,
        prompts.category,
        axes.axis,
        axes.axis_position,
        axes.n_attributes,
        axes.attribute_rank,
        axes.attribute,
        attribute_values.value,
        attribute_values.value_position,
        map_contains(prompts.shown_by, axes.attribute) as is_shown
    from prompts
    inner join axes
        on
            prompts.suite = axes.suite
            and prompts.category = axes.category
    inner join attribute_values
        on
            prompts.suite = attribute_values.suite
            and axes.attribute = attribute_values.attribute
            and {{ map_value('prompts.attributes', 'axes.attribute') }} = attribute_values.value
)

select
    prompt_key,
    suite,
    category,
    axis,
    axis_position,
    n_attributes,
    string_agg(value, ' & ' order by attribute_rank) as group_value,
    list(value_position order by attribute_rank) as attribute_codes,
    list(attribute order by attribute_rank) filter (is_shown) as shown_attributes
from parts
group by prompt_key, suite, category, axis, axis_position, n_attributes
having count(*) = n_attributes
