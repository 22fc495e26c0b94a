-- Grain: one row per sample_id: group_id, feature, calibration. family_id joins what is compared.
with groups as (
    select * from {{ ref('int_groups_listed') }}
),

features as (
    select
        *,
        max(feature_id) over () + 1 as n_feature_ids
    from {{ ref('int_features_listed') }}
)

select
    (groups.group_id * features.n_feature_ids + features.feature_id) * 2
    + calibrations.is_calibrated as sample_id,
    (groups.comparison_id * features.n_feature_ids + features.feature_id) * 2
    + calibrations.is_calibrated as family_id,
    groups.group_id,
    groups.comparison_id,
    features.feature_id,
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
    calibrations.calibration,
    features.has_baseline,
    -- A difference of two numbers between 0 and 1 lies between -1 and 1.
    features.range_low
    - case when calibrations.is_calibrated = 1 then features.range_high else 0 end as range_low,
    features.range_high
    - case when calibrations.is_calibrated = 1 then features.range_low else 0 end as range_high
from groups
inner join features
    on
        groups.suite = features.suite
        and groups.category = features.category
inner join (values (0, 'none'), (1, 'baseline')) as calibrations (is_calibrated, calibration)
    on calibrations.is_calibrated = 0 or features.has_baseline
-- The baseline has the features whose baselines were measured.
where groups.config <> 'baseline' or features.has_baseline
