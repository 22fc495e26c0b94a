-- Grain: one row per profile, suite, category, config, measure, axis, metric, gap.
select
    limits.profile,
    {{ analysis_columns('designs') }},
    designs.measure,
    designs.axis,
    limits.metric,
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
    limits.n_tables,
    1 as metric_version
from {{ ref('int_design_limits_listed') }} as limits
inner join {{ ref('int_designs_laid_out') }} as designs on limits.analysis_key = designs.analysis_key
inner join {{ ref('int_design_power_promised') }} as promised on limits.promise_key = promised.promise_key
