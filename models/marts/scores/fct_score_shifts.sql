-- Grain: one row per suite, category, config, axis, feature, group_value.
with analyses as (
    select * from {{ ref('int_analyses_listed') }}
    where measure_kind = 'score'
),

scores as (
    select * from {{ ref('int_scores_computed') }}
),

chance_of_dbi as (
    select * from {{ ref('int_analyses_resampled') }}
    where statistic = 'dbi'
),

chance_of_mean as (
    select * from {{ ref('int_analyses_resampled') }}
    where statistic = 'mean'
),

-- Groups below the minimum cell, which enter no table, and declared groups that nobody answered about.
excluded as (
    select
        analysis_key,
        group_value,
        count(*) as n
    from {{ ref('int_responses_analysed') }}
    where measure_kind = 'score' and is_excluded
    group by analysis_key, group_value
),

listed as (
    select
        analysis_key,
        group_value
    from scores
    union
    select
        analysis_key,
        group_value
    from excluded
    union
    select
        analyses.analysis_key,
        groups.group_value
    from analyses
    inner join {{ ref('int_groups_listed') }} as groups using (suite, category, config_key, axis)
)

select
    {{ analysis_columns() }},
    analyses.axis,
    analyses.measure as feature,
    listed.group_value,
    scores.mean,
    chance_of_mean.ci_low as mean_ci_low,
    chance_of_mean.ci_high as mean_ci_high,
    bounds.mean_low as mean_bound_low,
    bounds.mean_high as mean_bound_high,
    scores.standard_deviation,
    scores.dbi,
    case
        when excluded.n > 0 then 'too_few'
        when scores.group_value is null and coalesce(missing.n_missing, 0) > 0 then 'all_missing'
        when scores.group_value is null then 'empty_group'
        when scores.n_groups < 2 then 'single_group'
        when scores.dbi is null then 'zero_variance'
        else 'ok'
    end as status,
    scores.attainable_max,
    chance_of_dbi.ci_low,
    chance_of_dbi.ci_high,
    coalesce(chance_of_dbi.ci_status, 'not_applicable') as ci_status,
    chance_of_dbi.p_value,
    chance_of_dbi.p_max,
    chance_of_dbi.null_median,
    chance_of_dbi.null_p05,
    chance_of_dbi.null_p95,
    case when scores.dbi is not null or scores.group_value is null then bounds.dbi_low end as bound_low,
    case when scores.dbi is not null or scores.group_value is null then bounds.dbi_high end as bound_high,
    coalesce(scores.n_groups, analyses.n_groups) as n_groups,
    coalesce(scores.n_group, excluded.n, 0) as n,
    coalesce(missing.n_missing, 0) as n_missing,
    chance_of_dbi.resampling_unit,
    chance_of_dbi.n_units,
    analyses.exposure,
    analyses.is_control,
    1 as metric_version
from analyses
inner join listed using (analysis_key)
left join scores using (analysis_key, group_value)
left join excluded using (analysis_key, group_value)
left join chance_of_dbi
    on
        scores.analysis_key = chance_of_dbi.analysis_key
        and scores.group_value = chance_of_dbi.group_value
left join chance_of_mean
    on
        scores.analysis_key = chance_of_mean.analysis_key
        and scores.group_value = chance_of_mean.group_value
left join {{ ref('int_score_shifts_bounded') }} as bounds
    on
        listed.analysis_key = bounds.analysis_key
        and listed.group_value = bounds.group_value
left join {{ ref('int_missing_answers_counted') }} as missing
    using (suite, category, config_key, measure, axis, group_value)
