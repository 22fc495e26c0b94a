-- Grain: one row per profile, analysis_key, metric: the limits that a profile sets on what is compared, and
-- how many tables of a config are corrected together.
with families as (
    select
        profile,
        suite,
        config_key,
        max(n_tables) as n_tables
    from {{ ref('int_gate_families_tested') }}
    group by profile, suite, config_key
)

select
    limits.profile,
    numbers.analysis_key,
    numbers.metric,
    numbers.statistic,
    limits.green_limit,
    limits.red_limit,
    coalesce(families.n_tables, 1) as n_tables
from {{ ref('int_analysis_numbers_judged') }} as numbers
inner join {{ ref('int_limits_applied') }} as limits using (suite, metric, axis_kind)
left join families
    on
        limits.profile = families.profile
        and numbers.suite = families.suite
        and numbers.config_key = families.config_key
