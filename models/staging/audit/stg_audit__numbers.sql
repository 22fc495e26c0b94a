-- Grain: one row per audit_key, suite, category, config, measure, axis, metric, group_value.
select
    audit_key,
    suite,
    category,
    config,
    is_simulated,
    measure,
    axis,
    metric,
    group_value,
    {{ finite('value') }} as value,
    unit,
    direction,
    {{ finite('ci_low') }} as ci_low,
    {{ finite('ci_high') }} as ci_high,
    n,
    n_units,
    p_family,
    verdict,
    answers_key,
    is_corrected,
    compared_groups
from {{ source('raw', 'audit_numbers') }}
