-- Grain: one row per suite, category, config, axis, outcome_set, group_value ('' for the axis), metric,
-- outcome ('' but for shares). A table with too few labels has a row a group, without a metric: how many.
{%- set metrics = {
    'share': 'share', 'max_share_gap': 'max_share_gap', 'fdi_pooled': 'fdi', 'max_fdi_pooled': 'max_fdi',
    'mean_fdi_pooled': 'mean_fdi', 'selection_rate': 'selection_rate', 'impact_ratio': 'impact_ratio',
    'min_impact_ratio': 'min_impact_ratio', 'range': 'range', 'mean': 'mean', 'dbi': 'dbi',
    'max_abs_dbi': 'max_abs_dbi', 'max_mean_gap': 'max_mean_gap', 'labels': ''
} %}
with examples as (
    select
        suite,
        category,
        config_key,
        measure,
        max(case when is_example then 1 else 0 end) = 1 as is_example
    from {{ ref('int_labels_agreed') }}
    group by suite, category, config_key, measure
),

named as (
    select
        *,
        case statistic
            {%- for statistic, metric in metrics.items() %}
            when '{{ statistic }}' then '{{ metric }}'
            {%- endfor %}
        end as metric
    from {{ ref('int_analyses_corrected') }}
)

select
    {{ analysis_columns() }},
    analyses.axis,
    analyses.measure as outcome_set,
    corrected.group_value,
    corrected.metric,
    corrected.outcome,
    corrected.read_value,
    corrected.value as corrected_value,
    corrected.status,
    corrected.ci_low,
    corrected.ci_high,
    corrected.ci_status,
    corrected.bound_low,
    corrected.bound_high,
    corrected.p_value,
    corrected.null_median,
    corrected.null_p95,
    corrected.labels_value,
    corrected.labels_low,
    corrected.labels_high,
    corrected.n,
    corrected.n_labels,
    corrected.n_missing,
    corrected.resampling_unit,
    corrected.n_units,
    corrected.n_permutations,
    corrected.min_attainable_p,
    examples.is_example,
    analyses.exposure,
    analyses.is_control,
    1 as metric_version
from named as corrected
inner join {{ ref('int_analyses_listed') }} as analyses using (analysis_key)
inner join examples using (suite, category, config_key, measure)
where
    corrected.metric is not null
    -- What is selected of the same answers has the same labels.
    and not (corrected.metric = '' and analyses.measure_kind = 'selection')
