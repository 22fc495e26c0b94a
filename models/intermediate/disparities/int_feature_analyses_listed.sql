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
)

select
    analyses.*,
    shown.exposure,
    shown.is_control
from analyses
inner join {{ ref('int_axes_shown_pooled') }} as shown using (suite, category, axis, config_key)
