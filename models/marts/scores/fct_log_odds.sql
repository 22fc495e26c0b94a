-- Grain: one row per suite, category, config, axis, feature, group_value, reference (SPEC FS-16).
-- reference: `pooled` is the mean of all groups, else a group.
with analyses as (
    select * from {{ ref('int_analyses_listed') }}
    where measure_kind = 'score'
),

-- The same group's shift under relabelling, which is from all answers.
chance as (
    select
        analysis_key,
        group_value,
        'pooled' as reference,
        p_value as p_permutation
    from {{ ref('int_analyses_resampled') }}
    where statistic = 'dbi'
),

groups as (
    select * from {{ ref('int_analysis_groups_coded') }}
),

fitted as (
    select
        {{ analysis_columns() }},
        analyses.axis,
        analyses.measure as feature,
        fitted.group_value,
        fitted.reference,
        fitted.log_odds,
        fitted.value,
        fitted.standard_error,
        fitted.ci_low,
        fitted.ci_high,
        case when not analyses.is_control then fitted.p_value end as p_value,
        chance.p_permutation,
        fitted.dof,
        fitted.variance_root,
        fitted.variance_slope,
        fitted.variance_block,
        fitted.variance_residual,
        fitted.status,
        groups.n,
        fitted.n_units,
        groups.n_missing,
        fitted.n_extreme,
        analyses.exposure,
        analyses.is_control
    from {{ ref('int_log_odds_fitted') }} as fitted
    inner join analyses using (analysis_key)
    inner join groups using (analysis_key, group_value)
    left join chance using (analysis_key, group_value, reference)
),

adjusted as (
    {{ with_adjusted_p('fitted', 'p_value', [
        'suite', 'category', 'feature', 'is_simulated', 'reference = \'pooled\''
    ]) | indent(4) }}
)

select
    {{ contract_columns(without=['metric_version']) }},
    1 as metric_version
from adjusted
