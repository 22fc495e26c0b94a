-- Grain: one row per prompt_key, category, axis: the groups of prompts, under pooled categories too.
with grouped as (
    select
        prompt_key,
        suite,
        category,
        axis,
        group_value
    from {{ ref('int_prompts_grouped') }}
),

roll_ups as (
    select distinct
        suite,
        category,
        pooled_category
    from {{ ref('int_roll_ups_listed') }}
    where category <> pooled_category
)

select * from grouped
union all
select
    grouped.prompt_key,
    grouped.suite,
    roll_ups.pooled_category as category,
    grouped.axis,
    grouped.group_value
from grouped
inner join roll_ups using (suite, category)
