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
        {{ list_length('attributes') }} as n_attributes,
        {{ unnested_in_places('attributes', 'attribute', 'attribute_rank') }}
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
        array_contains(map_keys(prompts.shown_by), axes.attribute) as is_shown
    from prompts
    inner join axes using (suite, category)
    inner join attribute_values
        on
            prompts.suite = attribute_values.suite
            and axes.attribute = attribute_values.attribute
            and {{ map_value('prompts.attributes', 'axes.attribute') }} = attribute_values.value
),

-- Columns of prompts made from texts group as attributes do, by the values that occur; prompts show theirs.
prompt_columns as (
    select
        prompts.prompt_key,
        prompts.suite,
        prompts.category,
        axes.axis,
        axes.axis_position,
        axes.n_attributes,
        axes.attribute_rank,
        axes.attribute,
        replace(
            case axes.attribute when 'source_tag' then prompts.source_tag else prompts.keyword end,
            ' & ',
            ' and '
        ) as value
    from prompts
    inner join axes using (suite, category)
    anti join attribute_values using (suite, attribute)
    where axes.attribute in ('source_tag', 'keyword')
),

all_parts as (
    select * from parts
    union all
    select
        *,
        dense_rank() over (partition by suite, attribute order by value) - 1 as value_position,
        true as is_shown
    from prompt_columns
    where value is not null
)

select
    prompt_key,
    suite,
    category,
    axis,
    axis_position,
    n_attributes,
    {{ ordered_text('value', "' & '", 'attribute_rank') }} as group_value,
    {{ ordered_list('value_position', 'attribute_rank') }} as attribute_codes,
    {{ ordered_list('attribute', 'attribute_rank', 'is_shown') }} as shown_attributes
from all_parts
group by prompt_key, suite, category, axis, axis_position, n_attributes
having count(*) = n_attributes
