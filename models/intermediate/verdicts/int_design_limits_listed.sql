-- Grain: one row per profile, analysis_key, metric: the limits that a profile sets on what is compared, the
-- statistics that decide together what is more than chance, and how many tables of a config are corrected
-- together. Configs that were asked alike have designs that are alike, and one `promise_key`.
{%- set layout = [
    'n_groups', 'n_units', 'n_prompts', 'n_repeats', 'is_shared', 'n_together', 'icc', 'outcome_shares'
] %}
{%- set promised = layout + ['statistic', 'red_limit', 'green_limit', 'statistics', 'n_tables'] %}
with families as (
    select
        profile,
        suite,
        config_key,
        max(n_tables) as n_tables
    from {{ ref('int_gate_families_tested') }}
    group by profile, suite, config_key
),

listed as (
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
),

tables as (
    select
        profile,
        analysis_key,
        {{ ordered_list('statistic', 'statistic', distinct=true) }} as statistics
    from listed
    group by profile, analysis_key
),

laid_out as (
    select
        listed.*,
        tables.statistics,
        designs.{{ layout | join(', designs.') }}
    from listed
    inner join tables using (profile, analysis_key)
    inner join {{ ref('int_designs_laid_out') }} as designs on listed.analysis_key = designs.analysis_key
)

select
    *,
    md5({{ json_object(dict(zip(promised, promised))) }}) as promise_key
from laid_out
