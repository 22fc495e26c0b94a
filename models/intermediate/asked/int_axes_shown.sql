-- Grain: one row per suite, category, config_key, axis: what the prompts' text shows of it (SPEC INF-9).
with asked as (
    select distinct
        suite,
        category,
        config_key,
        prompt_key
    from {{ ref('int_responses_joined') }}
),

prompts_on_axis as (
    select
        asked.suite,
        asked.category,
        asked.config_key,
        asked.prompt_key,
        grouped.axis,
        grouped.axis_position,
        grouped.group_value,
        grouped.n_attributes,
        coalesce(grouped.shown_attributes, {{ empty_list() }}) as shown_attributes
    from asked
    inner join {{ ref('int_prompts_grouped') }} as grouped using (prompt_key)
),

unnested as (
    select
        suite,
        category,
        config_key,
        axis,
        {{ unnested('shown_attributes') }} as attribute
    from prompts_on_axis
),

attributes_shown as (
    select
        suite,
        category,
        config_key,
        axis,
        attribute,
        count(*) as n_prompts_showing
    from unnested
    group by suite, category, config_key, axis, attribute
),

shown as (
    select
        suite,
        category,
        config_key,
        axis,
        {{ ordered_list('attribute', 'attribute') }} as shown_attributes,
        min(n_prompts_showing) as n_prompts_showing
    from attributes_shown
    group by suite, category, config_key, axis
),

counted as (
    select
        suite,
        category,
        config_key,
        axis,
        axis_position,
        n_attributes,
        count(*) as n_prompts,
        count(*) filter (where {{ list_length('shown_attributes') }} > 0) as n_prompts_showing,
        count(distinct group_value) as n_groups
    from prompts_on_axis
    group by suite, category, config_key, axis, axis_position, n_attributes
)

select
    counted.suite,
    counted.category,
    counted.config_key,
    counted.axis,
    counted.axis_position,
    counted.n_attributes,
    counted.n_prompts,
    counted.n_prompts_showing,
    counted.n_groups,
    coalesce(shown.shown_attributes, {{ empty_list() }}) as shown_attributes,
    filter(axes.attributes, a -> not array_contains(coalesce(shown.shown_attributes, {{ empty_list() }}), a))
        as hidden_attributes,
    case
        when coalesce({{ list_length('shown.shown_attributes') }}, 0) = counted.n_attributes then 'all'
        when coalesce({{ list_length('shown.shown_attributes') }}, 0) = 0 then 'none'
        else 'some'
    end as exposure,
    coalesce({{ list_length('shown.shown_attributes') }}, 0) < counted.n_attributes as is_control,
    case
        when coalesce({{ list_length('shown.shown_attributes') }}, 0) < counted.n_attributes then 0
        else {{ ratio('shown.n_prompts_showing', 'counted.n_prompts') }}
    end as shown_rate
from counted
inner join {{ ref('stg_suite__axes') }} as axes using (suite, category, axis)
left join shown using (suite, category, config_key, axis)
