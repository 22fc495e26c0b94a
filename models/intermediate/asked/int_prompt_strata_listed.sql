-- Grain: one row per prompt_key, axis: values of the other attributes that the prompt shows, where it does.
with grouped as (
    select * from {{ ref('int_prompts_grouped') }}
)

select
    grouped.prompt_key,
    grouped.axis,
    {{ ordered_text(
        "other_axes.axis || '=' || other_axes.group_value", 'chr(31)', 'other_axes.axis'
    ) }} as stratum
from grouped
inner join {{ ref('stg_suite__axes') }} as axes
    on
        grouped.suite = axes.suite
        and grouped.category = axes.category
        and grouped.axis = axes.axis
inner join grouped as other_axes
    on
        grouped.prompt_key = other_axes.prompt_key
        and other_axes.n_attributes = 1
        and array_contains(other_axes.shown_attributes, other_axes.axis)
        and not array_contains(axes.attributes, other_axes.axis)
group by grouped.prompt_key, grouped.axis
