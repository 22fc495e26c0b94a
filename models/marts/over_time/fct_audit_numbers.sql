-- Grain: one row per audit_key, suite, category, config, measure, axis, metric, group_value: a number as the
-- audit had it, and whether it has changed by then. Corrected over the numbers of its config that have had a
-- p-value by then: one that drops out stays with p 1, or the others' correction shrinks without evidence.
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

seen as (
    select
        series_key,
        suite,
        config,
        is_simulated,
        number_key,
        min(place) as first_place
    from joined
    where p_sequential is not null
    group by series_key, suite, config, is_simulated, number_key
),

families as (
    select distinct
        audit_key,
        series_key,
        place,
        suite,
        config,
        is_simulated
    from joined
),

tested as (
    select
        families.audit_key,
        families.suite,
        families.config,
        families.is_simulated,
        seen.number_key,
        coalesce(scanned.p_sequential, 1) as p_sequential
    from families
    inner join seen
        on
            families.series_key = seen.series_key
            and families.suite = seen.suite
            and families.config = seen.config
            and families.is_simulated = seen.is_simulated
            and families.place >= seen.first_place
    left join {{ ref('int_series_scanned') }} as scanned
        on families.audit_key = scanned.audit_key and seen.number_key = scanned.number_key
),

holm as (
    {{ with_adjusted_p('tested', 'p_sequential', ['audit_key', 'suite', 'config', 'is_simulated']) }}
),

sizes as (
    select
        audit_key,
        suite,
        config,
        is_simulated,
        count(*) as n_tests
    from tested
    group by audit_key, suite, config, is_simulated
),

adjusted as (
    select
        joined.*,
        case when joined.p_sequential is not null then holm.p_holm end as p_holm,
        coalesce(sizes.n_tests, 0) as n_tests
    from joined
    left join holm on joined.audit_key = holm.audit_key and joined.number_key = holm.number_key
    left join sizes
        on
            joined.audit_key = sizes.audit_key
            and joined.suite = sizes.suite
            and joined.config = sizes.config
            and joined.is_simulated = sizes.is_simulated
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
