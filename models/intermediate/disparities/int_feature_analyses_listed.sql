-- Grain: one row per analysis_key: the groups of one axis in one feature, raw or calibrated, under one
-- config.
with analyses as (
    select distinct
        analysis_key,
        'score' as measure_kind,
        suite,
        domain,
        category,
        config_key,
        config,
        model,
        role,
        is_simulated,
        roll_up,
        pooled_categories,
        axis,
        feature,
        calibration
    from {{ ref('int_group_features_listed') }}
    union all
    select
        analysis_key,
        measure_kind,
        suite,
        domain,
        category,
        config_key,
        config,
        model,
        role,
        is_simulated,
        'none' as roll_up,
        null as pooled_categories,
        axis,
        measure as feature,
        'none' as calibration
    from {{ ref('int_analyses_listed') }}
    where measure_kind = 'selection'
),

shown as (
    select * from {{ ref('int_axes_shown_combined') }}
),

-- A level shows what the prompts that it pools show.
pooled as (
    select
        parts.suite,
        parts.pooled_category,
        parts.pooled_config_key,
        parts.axis,
        parts.feature,
        case when parts.is_calibrated then 'baseline' else 'none' end as calibration,
        min(shown.exposure) as exposure,
        bool_and(shown.is_control) as is_control
    from {{ ref('int_pooled_parts_listed') }} as parts
    inner join shown
        on
            parts.suite = shown.suite
            and parts.category = shown.category
            and parts.axis = shown.axis
            and parts.config_key = shown.config_key
    group by all
)

select
    analyses.*,
    coalesce(shown.exposure, pooled.exposure) as exposure,
    coalesce(shown.is_control, pooled.is_control) as is_control
from analyses
left join shown
    on
        analyses.suite = shown.suite
        and analyses.category = shown.category
        and analyses.axis = shown.axis
        and analyses.config_key = shown.config_key
left join pooled
    on
        analyses.suite = pooled.suite
        and analyses.category = pooled.pooled_category
        and analyses.axis = pooled.axis
        and analyses.config_key = pooled.pooled_config_key
        and analyses.feature = pooled.feature
        and analyses.calibration = pooled.calibration
where shown.axis is not null or pooled.axis is not null
