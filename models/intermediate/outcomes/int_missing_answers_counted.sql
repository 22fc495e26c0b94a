-- Grain: one row per suite, category, config_key, measure, axis, group_value ('' for the whole axis):
-- responses that a table of this measure does not hold.
with outcomes as (
    select
        response_key,
        prompt_key,
        suite,
        category,
        config_key,
        case when rule_kind = 'score' then feature else outcome_set end as measure,
        case when rule_kind = 'score' then outcome_status <> 'ok' else not is_counted end as is_missing
    from {{ ref('int_outcomes_assigned') }}
),

by_group as (
    select
        outcomes.suite,
        outcomes.category,
        outcomes.config_key,
        outcomes.measure,
        grouped.axis,
        grouped.group_value,
        count(*) as n_responses,
        count(*) filter (where outcomes.is_missing) as n_missing
    from outcomes
    inner join {{ ref('int_prompts_grouped') }} as grouped using (prompt_key)
    group by all
)

select * from by_group
union all
select
    suite,
    category,
    config_key,
    measure,
    axis,
    '' as group_value,
    cast(sum(n_responses) as bigint) as n_responses,
    cast(sum(n_missing) as bigint) as n_missing
from by_group
group by suite, category, config_key, measure, axis
