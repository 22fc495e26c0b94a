-- Grain: one row per suite, category, config_key, measure, axis, group_value ('' for the whole axis):
-- responses that a table of this measure does not hold; of a whole axis, groups of which it holds none.
-- Of lists of recommendations the measure is 'recommended items', which no outcome set can be named.
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

lists as (
    select
        responses.response_key,
        responses.prompt_key,
        responses.suite,
        responses.category,
        responses.config_key,
        'recommended items' as measure,
        not responses.is_usable or recommended.text_key is null as is_missing
    from {{ ref('int_responses_joined') }} as responses
    inner join {{ ref('stg_suite__recommendations') }} using (suite, category)
    left join {{ ref('int_recommendations_listed') }} as recommended using (suite, category, text_key)
),

read as (
    select * from outcomes
    union all
    select * from lists
),

by_group as (
    select
        read.suite,
        read.category,
        read.config_key,
        read.measure,
        grouped.axis,
        grouped.group_value,
        count(*) as n_responses,
        count(*) filter (where read.is_missing) as n_missing
    from read
    inner join {{ ref('int_prompts_grouped') }} as grouped using (prompt_key)
    group by all
),

unread as (
    select
        suite,
        category,
        config_key,
        measure,
        axis,
        count(*) as n_unread_groups,
        {{ ordered_text('group_value', "' or '", 'group_value') }} as unread_groups
    from by_group
    where n_missing = n_responses
    group by all
),

by_axis as (
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
)

select
    by_axis.*,
    unread.n_unread_groups,
    unread.unread_groups
from by_axis
left join unread using (suite, category, config_key, measure, axis)
union all
select
    *,
    null as n_unread_groups,
    null as unread_groups
from by_group
