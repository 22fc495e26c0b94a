-- Grain: one row per suite, category, config_key, axis where names answer the same questions: how unlike the
-- questions of the groups are. Where each text is a question of its own, questions are what is drawn; a group
-- that shares no question with another may have words of its own for the same.
{%- set keys = 'suite, category, config_key, axis' %}
with asked as (
    select
        responses.suite,
        grouped.category,
        responses.config_key,
        grouped.axis,
        grouped.group_value,
        responses.root_key,
        count(*) as n,
        count(distinct responses.block_key) as n_blocks
    from {{ ref('int_responses_joined') }} as responses
    inner join {{ ref('int_prompts_pooled') }} as grouped using (prompt_key)
    group by
        responses.suite, grouped.category, responses.config_key, grouped.axis, grouped.group_value,
        responses.root_key
),

beside_others as (
    select
        {{ keys }},
        group_value,
        n,
        max(n_blocks) over (partition by {{ keys }}) as most_blocks,
        sum(n) over (partition by {{ keys }}, group_value) as n_group,
        sum(n) over (partition by {{ keys }}, root_key) - n as n_root_others,
        sum(n) over (partition by {{ keys }}) - sum(n) over (partition by {{ keys }}, group_value) as n_others
    from asked
),

in_groups as (
    select
        {{ keys }},
        group_value,
        1 - sum(least(n * 1e0 / n_group, n_root_others * 1e0 / n_others)) as unlike_questions
    from beside_others
    where most_blocks > 1 and n_others > 0
    group by {{ keys }}, group_value
    having sum(n_root_others) > 0
)

select
    {{ keys }},
    greatest(max(unlike_questions), 0) as unlike_questions
from in_groups
group by {{ keys }}
