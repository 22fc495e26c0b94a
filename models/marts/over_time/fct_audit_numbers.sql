-- Grain: one row per audit_key, suite, category, config, measure, axis, metric, group_value: a number as the
-- audit had it, and whether it has changed by then. Corrected over the numbers of its config that have had a
-- p-value by then: one that drops out stays with p 1, or the others' correction shrinks without evidence.
with seen as (
    select
        numbers.series_key,
        numbers.suite,
        numbers.config,
        numbers.is_simulated,
        numbers.number_key,
        min(numbers.place) as first_place
    from {{ ref('int_audit_numbers_placed') }} as numbers
    inner join {{ ref('int_series_scanned') }} as scanned
        on numbers.audit_key = scanned.audit_key and numbers.number_key = scanned.number_key
    where scanned.p_sequential is not null
    group by numbers.series_key, numbers.suite, numbers.config, numbers.is_simulated, numbers.number_key
),

families as (
    select distinct
        audit_key,
        series_key,
        place,
        suite,
        config,
        is_simulated
    from {{ ref('int_audit_numbers_placed') }}
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
)

select
    numbers.audit_key,
    numbers.number_key,
    numbers.place,
    numbers.audited_at,
    numbers.is_look,
    numbers.suite,
    numbers.category,
    numbers.config,
    numbers.is_simulated,
    numbers.measure,
    numbers.axis,
    numbers.metric,
    numbers.group_value,
    numbers.value,
    numbers.unit,
    numbers.direction,
    numbers.ci_low,
    numbers.ci_high,
    numbers.n,
    numbers.n_units,
    numbers.p_family,
    numbers.verdict,
    scanned.statistic,
    scanned.p_sequential,
    case when scanned.p_sequential is not null then holm.p_holm end as p_holm,
    coalesce(sizes.n_tests, 0) as n_tests,
    coalesce(
        scanned.p_sequential is not null and holm.p_holm <= {{ significance_level() }}, false
    ) as is_alarm,
    scanned.shift,
    scanned.changed_place,
    scanned.changed_place_low,
    scanned.changed_place_high
from {{ ref('int_audit_numbers_placed') }} as numbers
left join {{ ref('int_series_scanned') }} as scanned
    on numbers.audit_key = scanned.audit_key and numbers.number_key = scanned.number_key
left join holm on numbers.audit_key = holm.audit_key and numbers.number_key = holm.number_key
left join sizes
    on
        numbers.audit_key = sizes.audit_key
        and numbers.suite = sizes.suite
        and numbers.config = sizes.config
        and numbers.is_simulated = sizes.is_simulated
