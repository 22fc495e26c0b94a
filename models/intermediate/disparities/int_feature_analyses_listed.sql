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
        axis,
        measure as feature,
        'none' as calibration
    from {{ ref('int_analyses_listed') }}
    where measure_kind = 'selection'
),

shown as (
    select * from {{ ref('int_axes_shown_pooled') }}
)

select
    analyses.*,
    shown.exposure,
    shown.is_control
from analyses
inner join shown
    on
        analyses.suite = shown.suite
        and analyses.category = shown.category
        and analyses.axis = shown.axis
        and analyses.config_key = shown.config_key
