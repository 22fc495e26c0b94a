-- Grain: one row per audit_key, number_key: a number is the same one in all audits.
select
    md5(concat_ws(
        chr(31),
        numbers.suite, numbers.category, numbers.config,
        case when numbers.is_simulated then 'simulated' else '' end,
        numbers.measure, numbers.axis, numbers.metric, numbers.group_value
    )) as number_key,
    coalesce(audits.plan_key, '') as series_key,
    audits.place,
    audits.n_looks,
    audits.is_look,
    audits.audited_at,
    numbers.*
from {{ ref('stg_audit__numbers') }} as numbers
inner join {{ ref('int_audits_placed') }} as audits using (audit_key)
