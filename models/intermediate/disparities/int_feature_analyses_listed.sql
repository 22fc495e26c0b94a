-- Grain: one row per family_id: one feature, raw or calibrated, of one axis under one config.
with samples as (
    select distinct
        family_id,
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
),

analyses as (
    select * from {{ ref('int_analyses_listed') }}
    where kind = 'selection'
),

families as (
    select * from samples
    union all
    select
        -1 - analysis_id as family_id,
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
    from analyses
),

exposed as (
    select * from {{ ref('int_axes_shown_pooled') }}
)

select
    families.*,
    exposed.exposure,
    exposed.is_control
from families
inner join exposed
    on
        families.suite = exposed.suite
        and families.category = exposed.category
        and families.axis = exposed.axis
        and families.config_key = exposed.config_key
