-- Grain: one row per family_id, statistic_key, disparity: what chance alone gives, where it was drawn.
with analyses as (
    select * from {{ ref('int_analyses_listed') }}
),

resampled as (
    select * from {{ ref('int_groups_resampled') }}
    where group_value = ''
),

families as (
    select * from {{ ref('int_families_listed') }}
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
)

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
    resampled.n_units
from keyed
inner join resampled on keyed.analysis_id = resampled.analysis_id
