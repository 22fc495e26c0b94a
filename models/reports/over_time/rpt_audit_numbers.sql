-- Grain: one row per audit_key, number_key: what the page draws, in series of more than one audit. A browser
-- opens every row, so only the first numbers, changed ones leading, are shown, each with all its audits.
{%- set most_numbers = 400 %}
with numbers as (
    select
        numbers.*,
        audits.series_key
    from {{ ref('fct_audit_numbers') }} as numbers
    inner join {{ ref('rpt_audits') }} as audits on numbers.audit_key = audits.audit_key
    where numbers.value is not null
),

weighed as (
    select
        series_key,
        number_key,
        max(case when is_alarm then 1 else 0 end) as n_alarms,
        min(p_sequential) as p_lowest
    from numbers
    group by series_key, number_key
    having count(*) > 1
),

ranked as (
    select
        *,
        row_number() over (
            partition by series_key
            order by n_alarms desc, coalesce(p_lowest, 2) asc, number_key asc
        ) as number_position,
        count(*) over (partition by series_key) as n_in_series
    from weighed
),

titles as (
    {{ metric_titles() }}
)

select
    numbers.series_key,
    numbers.number_key,
    ranked.number_position,
    ranked.n_in_series,
    numbers.place,
    numbers.audited_at,
    numbers.suite,
    numbers.category,
    numbers.config,
    numbers.is_simulated,
    numbers.measure,
    numbers.axis,
    numbers.metric,
    coalesce(titles.title, numbers.metric) as metric_title,
    numbers.group_value,
    numbers.value,
    numbers.unit,
    numbers.direction,
    numbers.ci_low,
    numbers.ci_high,
    numbers.n,
    numbers.verdict,
    numbers.p_holm,
    numbers.n_tests,
    numbers.is_alarm,
    numbers.shift,
    numbers.changed_place,
    numbers.changed_place_low,
    numbers.changed_place_high
from numbers
inner join ranked using (series_key, number_key)
left join titles on numbers.metric = titles.metric
where ranked.number_position <= {{ most_numbers }}
