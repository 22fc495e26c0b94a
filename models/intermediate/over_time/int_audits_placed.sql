-- Grain: one row per audit_key: its place among the looks of its plan, or among the whole audits. Whole
-- audits are looked at as they come, in plans of so many.
{%- set looks_of_whole_audits = 12 %}
select
    audits.*,
    coalesce(planned.n_looks, {{ looks_of_whole_audits }}) as n_looks,
    planned.plan_key is not null as is_look,
    row_number() over (
        partition by coalesce(audits.plan_key, '')
        order by audits.look, audits.audited_at, audits.audit_key
    ) as place
from {{ ref('stg_audit__audits') }} as audits
left join {{ ref('stg_watch__plans') }} as planned on audits.plan_key = planned.plan_key
