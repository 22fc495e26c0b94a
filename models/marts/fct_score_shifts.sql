-- Grain: one row per suite, category, config, axis, feature, group_value.
with analyses as (
    select * from {{ ref('int_analyses_listed') }}
    where kind = 'score'
),

scores as (
    select * from {{ ref('int_scores_computed') }}
),

chance_of_dbi as (
    select * from {{ ref('int_groups_resampled') }}
    where statistic = 'dbi'
),

chance_of_mean as (
    select * from {{ ref('int_groups_resampled') }}
    where statistic = 'mean'
),

missing as (
    select * from {{ ref('int_axes_missing') }}
)

select
    {{ analysis_columns() }},
    analyses.axis,
    analyses.measure as feature,
    scores.group_value,
    scores.mean,
    chance_of_mean.ci_low as mean_ci_low,
    chance_of_mean.ci_high as mean_ci_high,
    scores.standard_deviation,
    scores.dbi,
    case
        when scores.n_groups < 2 then 'single_group'
        when scores.dbi is null then 'zero_variance'
        else 'ok'
    end as status,
    scores.attainable_max,
    chance_of_dbi.ci_low,
    chance_of_dbi.ci_high,
    chance_of_dbi.ci_status,
    chance_of_dbi.p_value,
    chance_of_dbi.p_max,
    chance_of_dbi.null_median,
    chance_of_dbi.null_p05,
    chance_of_dbi.null_p95,
    scores.n_groups,
    scores.n_group as n,
    coalesce(missing.n_missing, 0) as n_missing,
    chance_of_dbi.resampling_unit,
    chance_of_dbi.n_units,
    analyses.exposure,
    analyses.is_control,
    1 as metric_version
from analyses
inner join scores on analyses.analysis_id = scores.analysis_id
left join chance_of_dbi
    on
        scores.analysis_id = chance_of_dbi.analysis_id
        and scores.group_value = chance_of_dbi.group_value
left join chance_of_mean
    on
        scores.analysis_id = chance_of_mean.analysis_id
        and scores.group_value = chance_of_mean.group_value
left join missing
    on
        analyses.suite = missing.suite
        and analyses.category = missing.category
        and analyses.config_key = missing.config_key
        and analyses.measure = missing.measure
        and analyses.axis = missing.axis
        and scores.group_value = missing.group_value
