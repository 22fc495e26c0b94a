-- Grain: one row per suite, category, config, outcome_set, axis of two or more attributes: does the
-- intersection hold more than its parts?
-- Amplification = largest IDI - largest FDI of a single attribute (SPEC FS-4).
with deviations as (
    select * from {{ ref('fct_group_deviations') }}
    where reference = 'pooled' and metric in ('max_fdi', 'max_idi')
),

singles as (
    select
        suite,
        category,
        config,
        outcome_set,
        max(value) as max_fdi,
        min_by(axis, (-value, axis)) filter (where value is not null) as strongest_attribute
    from deviations
    where metric = 'max_fdi' and not is_control
    group by suite, category, config, outcome_set
)

select
    {{ page_slugs('deviations') }},
    deviations.suite,
    deviations.category,
    deviations.config,
    deviations.is_simulated,
    deviations.outcome_set,
    deviations.axis,
    deviations.group_extreme,
    deviations.value as max_idi,
    deviations.ci_low,
    deviations.ci_high,
    deviations.null_median,
    deviations.null_p95,
    deviations.p_value,
    {{ p_in_words('deviations.p_value') }} as p_value_words,
    singles.max_fdi,
    singles.strongest_attribute,
    deviations.value - singles.max_fdi as amplification,
    -- Smaller groups deviate more by chance alone; this is what is left of it.
    deviations.value - deviations.null_median as excess_over_chance,
    deviations.n_groups,
    deviations.n,
    deviations.resampling_unit,
    deviations.n_units,
    deviations.is_control
from deviations
left join singles using (suite, category, config, outcome_set)
where deviations.metric = 'max_idi'
