-- Grain: one row per audit_key_a, audit_key_b, number_key: each audit with the one before it in its series,
-- and the two that somebody wants compared.
with placed as (
    select * from {{ ref('int_audits_placed') }}
),

pairs as (
    select
        earlier.audit_key as audit_key_a,
        later.audit_key as audit_key_b
    from placed as later
    inner join placed as earlier
        on
            coalesce(earlier.plan_key, '') = coalesce(later.plan_key, '')
            and later.place = earlier.place + 1
    union
    select
        compared.audit_key_a,
        compared.audit_key_b
    from {{ ref('stg_audit__compared_audits') }} as compared
    inner join placed as a on compared.audit_key_a = a.audit_key
    inner join placed as b on compared.audit_key_b = b.audit_key
),

numbers as (
    select * from {{ ref('int_audit_numbers_placed') }}
),

earlier as (
    select
        pairs.audit_key_a,
        pairs.audit_key_b,
        numbers.*
    from pairs
    inner join numbers on pairs.audit_key_a = numbers.audit_key
),

later as (
    select
        pairs.audit_key_a,
        pairs.audit_key_b,
        numbers.*
    from pairs
    inner join numbers on pairs.audit_key_b = numbers.audit_key
)

select
    coalesce(later.audit_key_a, earlier.audit_key_a) as audit_key_a,
    coalesce(later.audit_key_b, earlier.audit_key_b) as audit_key_b,
    coalesce(later.number_key, earlier.number_key) as number_key,
    {%- for column in [
        'suite', 'category', 'config', 'is_simulated', 'measure', 'axis', 'metric', 'group_value', 'unit', 'direction'
    ] %}
    coalesce(later.{{ column }}, earlier.{{ column }}) as {{ column }},
    {%- endfor %}
    earlier.value as value_a,
    earlier.ci_low as ci_low_a,
    earlier.ci_high as ci_high_a,
    earlier.n as n_a,
    earlier.verdict as verdict_a,
    later.value as value_b,
    later.ci_low as ci_low_b,
    later.ci_high as ci_high_b,
    later.n as n_b,
    later.verdict as verdict_b,
    coalesce(earlier.compared_groups <> later.compared_groups, false) as has_other_groups
from later
full outer join earlier
    on
        later.audit_key_a = earlier.audit_key_a
        and later.audit_key_b = earlier.audit_key_b
        and later.number_key = earlier.number_key
