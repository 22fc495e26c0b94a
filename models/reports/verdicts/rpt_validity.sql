-- Grain: one row per cell, part, profile, metric: how often the method kept a promise on simulated audits.
{%- set own_metric = all_replaced('study.metric', pattern('_pooled$'), '') %}
with titles as (
    select
        metric,
        any_value(title) as title
    from {{ ref('metrics') }}
    group by metric
    union all
    select
        disparity as metric,
        title
    from {{ ref('disparities') }}
    anti join {{ ref('metrics') }} as named on disparity = named.metric
),

parts as (
    select listed.* from (
        values
        (1, 'false_alarm', 'Unbiased audits with a fail'),
        (2, 'pass_at_limit', 'Pass where the truth is at the limit'),
        (3, 'pass_beyond', 'Pass where it is a quarter beyond'),
        (4, 'fail_far', 'Fail where the truth is far beyond'),
        (5, 'pass_equal', 'Pass of equal groups, 400 names'),
        (6, 'interval', '95 % intervals that hold their target'),
        (7, 'bound', 'One-sided bounds that hold the truth'),
        (8, 'power_to_fail', 'Fail, beside the planner’s promise'),
        (9, 'power_to_pass', 'Pass, beside the planner’s promise'),
        (10, 'advice', 'Decided once what the reason names is collected')
    ) as listed (part_position, part, part_label)
)

select
    study.*,
    parts.part_label,
    coalesce(titles.title, replace({{ own_metric }}, '_', ' ')) as metric_label,
    study.n_groups || ' × ' || study.n_units || ' ' || study.unit || 's × ' || study.n_answers
    || case when study.n_outcomes > 2 then ', ' || study.n_outcomes || ' outcomes' else '' end
    || case when study.n_questions > 1 then ', ' || study.n_questions || ' questions' else '' end
        as design_label,
    case
        when study.highest = 1 then 'at least ' || {{ fixed_text('100 * study.lowest', 0) }} || ' %'
        when study.lowest = 0 then 'at most ' || {{ fixed_text('100 * study.highest', 0) }} || ' %'
        else
            {{ fixed_text('100 * study.lowest', 0) }} || ' to '
            || {{ fixed_text('100 * study.highest', 0) }} || ' %'
    end as required_label,
    parts.part_position
from {{ ref('fct_validity') }} as study
inner join parts using (part)
left join titles on {{ own_metric }} = titles.metric
