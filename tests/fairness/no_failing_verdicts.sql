-- The gate: every verdict of the suite's first profile that is `fail`. Warns; AUDIT_GATE=error makes it fail.
select
    suite,
    category,
    config,
    axis,
    measure,
    metric,
    group_value,
    value,
    ci_low,
    ci_high,
    red_limit,
    n,
    p_holm,
    reason
from {{ ref('fct_verdicts') }}
where is_gate_profile and verdict = 'fail'
