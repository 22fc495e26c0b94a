-- Grain: one row per suite, category, config_key, axis where the gate judges the gap in failures, and every
-- request of the question was answered. An audit has no verdict on that. Over time it is a gap of 0: else
-- nothing is there to compare with, once a model begins to refuse a group.
{%- set axis_key = 'suite, category, config_key, axis' %}
with asked as (
    select
        responses.suite,
        responses.category,
        responses.config_key,
        responses.config,
        responses.is_simulated,
        responses.block_key,
        grouped.axis,
        grouped.n_attributes,
        grouped.group_value,
        settings.minimum_cell,
        count(*) over (
            partition by
                responses.suite, responses.category, responses.config_key, grouped.axis, grouped.group_value
        ) as n_group,
        bool_and(responses.is_usable) over (
            partition by responses.suite, responses.category, responses.config_key
        ) as is_answered
    from {{ ref('int_responses_joined') }} as responses
    inner join {{ ref('int_prompts_grouped') }} as grouped using (suite, category, prompt_key)
    inner join {{ ref('int_suite_settings_kept') }} as settings using (suite)
),

answered as (
    select * from asked
    where is_answered and n_group >= minimum_cell
),

by_group as (
    select
        {{ axis_key }},
        count(distinct block_key) as n_units
    from answered
    group by {{ axis_key }}, group_value
),

fewest as (
    select
        {{ axis_key }},
        min(n_units) as n_units
    from by_group
    group by {{ axis_key }}
    having count(*) > 1
),

counted as (
    select
        {{ axis_key }},
        config,
        is_simulated,
        {{ axis_kind('n_attributes') }} as axis_kind,
        count(*) as n,
        count(distinct block_key) as n_units
    from answered
    group by all
)

select
    counted.* {{ without('axis_kind') }},
    limits.metric,
    limits.unit,
    limits.direction,
    -- What so many equal units leave open.
    case
        when
            counted.n_units >= {{ fewest_units_bounded('axis') }}
            and fewest.n_units >= {{ fewest_units_bounded('group') }}
            then 1 - power({{ significance_level() }} / 2e0, 1e0 / fewest.n_units)
    end as ci_high
from counted
inner join fewest using ({{ axis_key }})
inner join {{ ref('int_axes_shown') }} as exposed using ({{ axis_key }})
inner join {{ ref('int_judgements_requested') }} as limits using (suite, axis_kind)
where limits.metric = 'max_failure_gap' and limits.is_gate_profile and not exposed.is_control
