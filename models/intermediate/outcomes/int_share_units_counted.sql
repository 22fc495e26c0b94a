-- Grain: one row per share_of, suite, category, config_key, measure, axis, group_value, unit_key, outcome:
-- what a group's shares are counted from, by name, text or root where some group has several; else by prompt.
-- share_of: `outcome`, `failure`, or a rate of errors, whose outcomes are `selected` and `other`.
-- Where each unit has one answer there is no row: answers are independent.
{%- set keys = 'share_of, suite, category, config_key, measure, axis' %}
with failing as (
    select distinct
        suite,
        category,
        config_key
    from {{ ref('int_responses_joined') }}
    where response_status <> 'ok'
),

counted as (
    select
        'outcome' as share_of,
        suite,
        category,
        config_key,
        measure,
        axis,
        group_value,
        block_key,
        prompt_key,
        outcome,
        count(*) as n
    from {{ ref('int_responses_analysed') }}
    where measure_kind = 'outcome' and not is_excluded
    group by all
    union all
    select
        'failure' as share_of,
        responses.suite,
        responses.category,
        responses.config_key,
        '' as measure,
        grouped.axis,
        grouped.group_value,
        responses.block_key,
        responses.prompt_key,
        responses.response_status as outcome,
        count(*) as n
    from {{ ref('int_responses_joined') }} as responses
    inner join failing using (suite, category, config_key)
    inner join {{ ref('int_prompts_grouped') }} as grouped using (prompt_key)
    group by all
    {%- for metric, (selected, of_all) in error_rates().items() %}
    {%- for outcome, n in [('selected', selected), ('other', '(' ~ of_all ~ ') - (' ~ selected ~ ')')] %}
    union all
    select
        '{{ metric }}' as share_of,
        suite,
        category,
        config_key,
        outcome_set as measure,
        axis,
        group_value,
        block_key,
        block_key as prompt_key,
        '{{ outcome }}' as outcome,
        {{ n }} as n
    from {{ ref('int_classification_units_counted') }}
    where {{ n }} > 0
    {%- endfor %}
    {%- endfor %}
),

in_groups as (
    select
        {{ keys }},
        group_value,
        count(distinct block_key) as n_blocks,
        count(distinct prompt_key) as n_prompts
    from counted
    group by {{ keys }}, group_value
),

levels as (
    select
        {{ keys }},
        max(n_blocks) > 1 as has_blocks,
        max(n_prompts) > 1 as has_prompts
    from in_groups
    group by {{ keys }}
),

units as (
    select
        {{ keys }},
        group_value,
        case when has_blocks then block_key else prompt_key end as unit_key,
        outcome,
        cast(sum(n) as bigint) as n
    from counted
    inner join levels using ({{ keys }})
    where has_blocks or has_prompts
    group by {{ keys }}, group_value, unit_key, outcome
),

sized as (
    select
        *,
        sum(n) over (partition by {{ keys }}, group_value, unit_key) as n_unit
    from units
)

select * {{ without('n_unit, n_largest') }}
from (
    select
        *,
        max(n_unit) over (partition by {{ keys }}) as n_largest
    from sized
)
where n_largest > 1
