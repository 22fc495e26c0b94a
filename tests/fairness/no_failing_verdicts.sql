-- The gate: every verdict in it that is `fail`, of the suite's first profile and not beside the gate. Warns;
-- AUDIT_GATE=error makes it fail.
{{ config(severity=env_var('AUDIT_GATE', '') or 'warn') }}
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
    p_family,
    reason
from {{ ref('fct_verdicts') }}
where is_gated and verdict = 'fail'
