-- Grain: one row per suite, category, config, is_simulated, measure_kind, measure, method, term.
-- config: '' for a model over all of them.
with fitted as (
    select * from {{ ref('int_linear_models_fitted') }}
),

configs as (
    select * from {{ ref('int_configs_labelled') }}
),

-- The permutation test of the same groups: its axis is the term.
permuted as (
    select
        suite,
        category,
        config_key,
        axis,
        measure_kind,
        measure,
        max(p_value) filter (where statistic = 'anova_f') as p_of_several,
        max(p_value) filter (where statistic = 'welch_t') as p_of_two,
        max(p_value) filter (where statistic = 'range') as p_of_range
    from {{ ref('int_analyses_resampled') }}
    inner join {{ ref('int_analyses_listed') }} using (analysis_key)
    where group_value = ''
    group by all
)

select
    fitted.suite,
    fitted.category,
    coalesce(configs.config, '') as config,
    fitted.is_simulated,
    fitted.measure_kind,
    fitted.measure,
    fitted.method,
    fitted.term,
    fitted.value,
    fitted.dof,
    fitted.dof_residual,
    fitted.p_value,
    -- The permutation test asks about the groups of an axis, not about what two attributes do together.
    case
        when contains(fitted.term, ' & ') then null
        when fitted.measure_kind = 'selection' then permuted.p_of_range
        else coalesce(permuted.p_of_several, permuted.p_of_two)
    end as p_permutation,
    fitted.sum_of_squares,
    fitted.variance_between,
    fitted.variance_within,
    {{ ratio('fitted.variance_between', 'fitted.variance_between + fitted.variance_within') }}
        as share_between,
    fitted.status,
    fitted.n_units,
    fitted.n,
    fitted.n_configs,
    1 as metric_version
from fitted
left join configs on fitted.config_key = configs.config_key
left join permuted
    on
        fitted.suite = permuted.suite
        and fitted.category = permuted.category
        and fitted.config_key = permuted.config_key
        and fitted.term = permuted.axis
        and fitted.measure_kind = permuted.measure_kind
        and fitted.measure = permuted.measure
