-- Grain: one row per audit_key. A browser opens every row, so of a long series only the last ones are shown.
{%- set most_audits = 60 %}
with latest as (
    select
        *,
        coalesce(plan_key, '') as series_key,
        row_number() over (partition by plan_key order by place desc) as from_the_end
    from {{ ref('dim_audits') }}
),

named as (
    select distinct
        audit_key,
        suite
    from {{ ref('fct_audit_numbers') }}
),

suites as (
    select
        audit_key,
        {{ ordered_text('suite', "', '", 'suite') }} as suites
    from named
    group by audit_key
)

select
    latest.series_key,
    latest.audit_key,
    latest.place,
    latest.audited_at,
    latest.fingerprint,
    latest.look,
    latest.n_looks,
    latest.changed_parts,
    latest.n_numbers,
    latest.n_failing,
    suites.suites
from latest
left join suites using (audit_key)
where latest.from_the_end <= {{ most_audits }}
