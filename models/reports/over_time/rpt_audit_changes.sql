-- Grain: one row per audit_key_a, audit_key_b, number_key: verdicts that changed, numbers that
-- moved, and numbers that one of both has not: the latter where there is room, or a new suite takes it all.
{%- set most_rows = 2000 %}
with titles as (
    {{ metric_titles() }}
)

select
    audits.series_key,
    audits.place,
    audits.audited_at,
    changes.audit_key_a,
    changes.audit_key_b,
    earlier.place as place_a,
    changes.number_key,
    changes.suite,
    changes.category,
    changes.config,
    changes.measure,
    changes.axis,
    changes.metric,
    coalesce(titles.title, changes.metric) as metric_title,
    changes.group_value,
    changes.value_a,
    changes.value_b,
    changes.n_a,
    changes.n_b,
    changes.verdict_a,
    changes.verdict_b,
    changes.has_other_groups,
    changes.difference,
    changes.ci_low,
    changes.ci_high,
    changes.p_holm,
    changes.n_tests,
    changes.state,
    changes.changed_parts,
    count(*) over (partition by audits.series_key) as n_in_series
from {{ ref('fct_audit_changes') }} as changes
inner join {{ ref('rpt_audits') }} as audits on changes.audit_key_b = audits.audit_key
inner join {{ ref('rpt_audits') }} as earlier on changes.audit_key_a = earlier.audit_key
left join titles on changes.metric = titles.metric
where changes.is_verdict_changed or changes.state in ('worse', 'better', 'new', 'gone')
qualify
    row_number() over (
        order by
            case when changes.state in ('new', 'gone') then 1 else 0 end asc,
            audits.audited_at desc, changes.p_holm asc, changes.number_key asc
    ) <= {{ most_rows }}
