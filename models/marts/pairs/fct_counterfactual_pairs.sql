-- Grain: one row per pair_kind, axis, response_key_a, response_key_b, metric, feature.
with metrics as (
    select
        measured_as,
        min(metric) as metric
    from {{ ref('pair_metrics') }}
    where measured_as <> 'difference'
    group by measured_as
)

select
    {{ analysis_columns() }},
    analyses.axis,
    analyses.pair_kind,
    analyses.group_a,
    analyses.group_b,
    analyses.root_key,
    analyses.prompt_key_a,
    analyses.prompt_key_b,
    analyses.response_key_a,
    analyses.response_key_b,
    analyses.repeat_a,
    analyses.repeat_b,
    coalesce(metrics.metric, 'score_difference') as metric,
    analyses.feature,
    analyses.value_a,
    analyses.value_b,
    analyses.value,
    analyses.measurement_status,
    1 as metric_version
from {{ ref('int_pairs_measured') }} as analyses
left join metrics using (measured_as)
