-- Grain: one row per suite, category, axis, group_value, flag: what to look at, and what was left out for it.
with prompts as (
    select * from {{ ref('dim_prompts') }}
),

flags as (
    select * from {{ ref('stg_assemble__prompt_flags') }}
),

flagged_roots as (
    select distinct
        prompts.root_key,
        flags.flag
    from prompts
    inner join flags using (prompt_key)
),

counted as (
    select
        prompts.suite,
        prompts.category,
        grouped.axis,
        grouped.group_value,
        flagged_roots.flag,
        count(flags.prompt_key) as n_flagged,
        count(*) filter (where prompts.is_left_out) as n_left_out
    from prompts
    inner join {{ ref('int_prompts_grouped') }} as grouped using (prompt_key)
    inner join flagged_roots using (root_key)
    left join flags
        on
            prompts.prompt_key = flags.prompt_key
            and flagged_roots.flag = flags.flag
    where grouped.n_attributes = 1
    group by prompts.suite, prompts.category, grouped.axis, grouped.group_value, flagged_roots.flag
),

groups as (
    select
        prompts.suite,
        prompts.category,
        grouped.axis,
        grouped.group_value,
        count(*) as n_prompts
    from prompts
    inner join {{ ref('int_prompts_grouped') }} as grouped using (prompt_key)
    where prompts.method <> 'loaded'
    group by prompts.suite, prompts.category, grouped.axis, grouped.group_value
)

select
    counted.suite,
    counted.category,
    counted.axis,
    counted.group_value,
    counted.flag,
    groups.n_prompts,
    counted.n_flagged,
    counted.n_left_out
from counted
inner join groups using (suite, category, axis, group_value)
