-- Grain: one row per group_feature_key: a group's values of a feature, raw or calibrated.
with features as (
    select
        *,
        max(feature_id) over () + 1 as n_feature_ids
    from {{ ref('int_features_listed') }}
)

select
    (groups.group_id * features.n_feature_ids + features.feature_id) * 2
    + cast(calibrations.is_calibrated as integer) as group_feature_key,
    (groups.group_set_key * features.n_feature_ids + features.feature_id) * 2
    + cast(calibrations.is_calibrated as integer) as analysis_key,
    groups.group_id,
    groups.suite,
    groups.domain,
    groups.category,
    groups.config_key,
    groups.config,
    groups.model,
    groups.role,
    groups.is_simulated,
    groups.roll_up,
    groups.axis,
    groups.group_value,
    features.feature,
    calibrations.is_calibrated,
    calibrations.calibration,
    features.has_baseline,
    -- A difference of two numbers between 0 and 1 lies between -1 and 1.
    features.range_low
    - case when calibrations.is_calibrated then features.range_high else 0 end as range_low,
    features.range_high
    - case when calibrations.is_calibrated then features.range_low else 0 end as range_high
from {{ ref('int_groups_listed') }} as groups
inner join features using (suite, category)
inner join (values (false, 'none'), (true, 'baseline')) as calibrations (is_calibrated, calibration)
    on not calibrations.is_calibrated or features.has_baseline
-- The baseline has the features whose baselines were measured.
where groups.config <> 'baseline' or features.has_baseline
