-- Grain: one row per prompt_key, axis. Only axes all of whose attributes the prompt has.
with prompts as (
    select
        *,
        {{ hash_of(['prompt']) }} as prompt_hash
    from {{ ref('stg_assemble__prompts') }}
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

-- A word that also stands there under another value, which it does not show, is no sign of its own: "he" in
-- the same question about anybody. A text about several people has words of some of them.
signs as (
    select
        prompts.suite,
        prompts.category,
        prompts.prompt_hash,
        attribute_values.attribute,
        {{ map_value('prompts.shown_by', 'attribute_values.attribute') }} as sign
    from prompts
    inner join attribute_values
        on
            prompts.suite = attribute_values.suite
            and {{ map_value('prompts.attributes', 'attribute_values.attribute') }} = attribute_values.value
    inner join {{ ref('stg_suite__suites') }} as suites on prompts.suite = suites.suite
    where suites.choice_set is null
),

said_of_others as (
    select
        suite,
        category,
        prompt_hash,
        attribute
    from signs
    group by suite, category, prompt_hash, attribute
    having
        count(*) filter (where sign like 'word: %') > 0
        and count(*) filter (where sign is null) > 0
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
        array_contains(map_keys(prompts.shown_by), axes.attribute) and said_of_others.attribute is null
            as is_shown
    from prompts
    inner join axes using (suite, category)
    inner join attribute_values
        on
            prompts.suite = attribute_values.suite
            and axes.attribute = attribute_values.attribute
            and {{ map_value('prompts.attributes', 'axes.attribute') }} = attribute_values.value
    left join said_of_others
        on
            prompts.suite = said_of_others.suite
            and prompts.category = said_of_others.category
            and prompts.prompt_hash = said_of_others.prompt_hash
            and axes.attribute = said_of_others.attribute
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
