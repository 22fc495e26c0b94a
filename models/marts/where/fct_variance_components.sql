-- Grain: one row per suite, category, config, axis, measure_kind, measure.
with analyses as (
    select * from {{ ref('int_analyses_listed') }}
),

estimated as (
    select * from {{ ref('int_variance_components_estimated') }}
)

select
    {{ analysis_columns() }},
    analyses.axis,
    analyses.measure_kind,
    analyses.measure,
    estimated.icc,
    estimated.icc_low,
    estimated.icc_high,
    coalesce(estimated.ci_status, 'not_applicable') as ci_status,
    coalesce(estimated.status, 'empty_group') as status,
    estimated.root_share,
    estimated.block_share,
    estimated.prompt_share,
    estimated.repeat_share,
    estimated.unit,
    estimated.n_units,
    estimated.mean_answers_per_unit,
    estimated.design_effect,
    {{ ratio('analyses.n', 'estimated.design_effect') }} as n_effective,
    analyses.n,
    analyses.n_groups,
    analyses.exposure,
    analyses.is_control,
    1 as metric_version
from analyses
left join estimated on analyses.analysis_key = estimated.analysis_key
