-- Grain: one row per profile, suite, category, config, measure, axis, metric, gap.
with designs as (
    select * from {{ ref('int_designs_laid_out') }}
)

select
    promised.profile,
    {{ analysis_columns('designs') }},
    designs.measure,
    designs.axis,
    promised.metric,
    promised.gap,
    promised.power_to_fail,
    promised.power_to_pass,
    promised.gap_at_limit,
    limits.red_limit,
    limits.green_limit,
    designs.n_groups,
    designs.n_units,
    designs.n_prompts as n_prompts_per_unit,
    designs.n_repeats,
    designs.is_shared as are_units_shared,
    promised.icc,
    promised.icc_source,
    promised.n_effective,
    promised.n_tables,
    1 as metric_version
from {{ ref('int_design_power_promised') }} as promised
inner join designs on promised.analysis_key = designs.analysis_key
inner join {{ ref('int_design_limits_listed') }} as limits
    on
        promised.profile = limits.profile
        and promised.analysis_key = limits.analysis_key
        and promised.metric = limits.metric
