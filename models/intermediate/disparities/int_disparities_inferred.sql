-- Grain: one row per family_id, statistic_key, disparity: what chance alone gives, where it was drawn.
with analyses as (
    select * from {{ ref('int_analyses_listed') }}
),

resampled as (
    select * from {{ ref('int_analyses_resampled') }}
    where group_value = ''
),

families as (
    select * from {{ ref('int_feature_analyses_listed') }}
),

statistics as (
    select * from {{ ref('statistics') }}
),

keyed as (
    select
        -1 - analysis_id as family_id,
        0 as statistic_key,
        analysis_id
    from analyses
    where kind = 'selection'
    union all
    select
        families.family_id,
        statistics.statistic_id as statistic_key,
        analyses.analysis_id
    from analyses
    inner join families
        on
            analyses.suite = families.suite
            and analyses.category = families.category
            and analyses.config_key = families.config_key
            and analyses.axis = families.axis
            and analyses.measure = families.feature
            and families.calibration = 'none'
            and families.family_id >= 0
    inner join statistics on statistics.statistic = 'mean'
    where analyses.kind = 'score'
),

judged as (
    select
        keyed.family_id,
        keyed.statistic_key,
        resampled.statistic as disparity,
        resampled.ci_low,
        resampled.ci_high,
        resampled.p_value,
        resampled.null_median,
        resampled.null_p05,
        resampled.null_p95,
        resampled.resampling_unit,
        resampled.n_units,
        resampled.permutation_scheme
    from keyed
    inner join resampled on keyed.analysis_id = resampled.analysis_id
),

others as (
    select * from {{ ref('int_feature_analyses_resampled') }}
    where group_id is null
),

rates as (
    select
        'min_max_ratio' as resampled_as,
        'min_max_ratio' as disparity
    union all
    select
        'min_max_ratio' as resampled_as,
        'min_impact_ratio' as disparity
)

-- What a verdict reads comes from one place: a family resampled there is not taken from here.
select * from judged
union all
select
    others.family_id,
    others.statistic_key,
    coalesce(rates.disparity, others.disparity) as disparity,
    others.ci_low,
    others.ci_high,
    others.p_value,
    others.null_median,
    others.null_p05,
    others.null_p95,
    others.resampling_unit,
    others.n_units,
    others.permutation_scheme
from others
left join rates on others.disparity = rates.resampled_as
anti join judged
    on
        others.family_id = judged.family_id
        and others.statistic_key = judged.statistic_key
