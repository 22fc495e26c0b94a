-- Grain: one row per audit_key_a, audit_key_b, suite, category, config, measure, axis, metric, group_value:
-- a number in two audits, b less a. Corrected over all numbers of a config in the two.
with joined as (
    select
        paired.*,
        tested.difference,
        tested.ci_low,
        tested.ci_high,
        tested.p_value,
        {{ changed_parts('later', 'earlier') }} as changed_parts
    from {{ ref('int_audit_numbers_paired') }} as paired
    inner join {{ ref('stg_audit__audits') }} as earlier on paired.audit_key_a = earlier.audit_key
    inner join {{ ref('stg_audit__audits') }} as later on paired.audit_key_b = later.audit_key
    left join {{ ref('int_audit_changes_tested') }} as tested using (audit_key_a, audit_key_b, number_key)
),

adjusted as (
    {{ with_adjusted_p(
        'joined', 'p_value', ['audit_key_a', 'audit_key_b', 'suite', 'config', 'is_simulated']
    ) }}
)

select
    audit_key_a,
    audit_key_b,
    number_key,
    suite,
    category,
    config,
    is_simulated,
    measure,
    axis,
    metric,
    group_value,
    unit,
    direction,
    value_a,
    value_b,
    n_a,
    n_b,
    verdict_a,
    verdict_b,
    coalesce(verdict_a <> verdict_b, false) as is_verdict_changed,
    has_other_groups,
    difference,
    ci_low,
    ci_high,
    p_value,
    p_holm,
    n_tests,
    case
        when verdict_a is null then 'new'
        when verdict_b is null then 'gone'
        when p_holm is null then 'not_comparable'
        when p_holm > {{ significance_level() }} then 'no_evidence'
        when (difference > 0) = (direction = 'higher_is_worse') then 'worse'
        else 'better'
    end as state,
    changed_parts
from adjusted
