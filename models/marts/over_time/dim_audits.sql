-- Grain: one row per audit_key: audits that were built, one that came back once more, and looks.
with placed as (
    select * from {{ ref('int_audits_placed') }}
),

with_before as (
    select
        later.*,
        earlier.audit_key as audit_key_before,
        {{ changed_parts('later', 'earlier') }} as changed_parts
    from placed as later
    left join placed as earlier
        on
            coalesce(later.plan_key, '') = coalesce(earlier.plan_key, '')
            and later.place = earlier.place + 1
),

counted as (
    select
        audit_key,
        count(*) as n_numbers,
        count(*) filter (where verdict = 'fail') as n_failing
    from {{ ref('stg_audit__numbers') }}
    group by audit_key
)

select
    with_before.audit_key,
    with_before.fingerprint,
    with_before.audited_at,
    with_before.plumbline_version,
    with_before.plan_key,
    with_before.look,
    case when with_before.is_look then with_before.n_looks end as n_looks,
    planned.n_roots,
    with_before.place,
    with_before.audit_key_before,
    with_before.changed_parts,
    coalesce(counted.n_numbers, 0) as n_numbers,
    coalesce(counted.n_failing, 0) as n_failing
from with_before
left join counted using (audit_key)
left join {{ ref('stg_watch__plans') }} as planned on with_before.plan_key = planned.plan_key
