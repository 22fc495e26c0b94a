-- Grain: one row per audit_key, suite, category, config, measure, axis, metric, group_value: a number as the
-- audit had it, and whether it has changed by then. Corrected over all numbers of a config in that audit.
with joined as (
    select
        numbers.*,
        scanned.statistic,
        scanned.p_sequential,
        scanned.shift,
        scanned.changed_place,
        scanned.changed_place_low,
        scanned.changed_place_high
    from {{ ref('int_audit_numbers_placed') }} as numbers
    left join {{ ref('int_series_scanned') }} as scanned using (audit_key, number_key)
),

adjusted as (
    {{ with_adjusted_p('joined', 'p_sequential', ['audit_key', 'suite', 'config', 'is_simulated']) }}
)

select
    audit_key,
    number_key,
    place,
    audited_at,
    is_look,
    suite,
    category,
    config,
    is_simulated,
    measure,
    axis,
    metric,
    group_value,
    value,
    unit,
    direction,
    ci_low,
    ci_high,
    n,
    n_units,
    p_family,
    verdict,
    statistic,
    p_sequential,
    p_holm,
    n_tests,
    coalesce(p_holm <= {{ significance_level() }}, false) as is_alarm,
    shift,
    changed_place,
    changed_place_low,
    changed_place_high
from adjusted
