-- Grain: one row per suite, roll_up, pooled_category, pooled_config_key, axis, group_value, feature,
-- is_calibrated, category, config_key: the groups of categories and configs that a level pools in a feature.
select
    pooled.suite,
    pooled.roll_up,
    pooled.pooled_category,
    pooled.pooled_config_key,
    listed_groups.axis,
    listed_groups.group_value,
    pooled.feature,
    calibrations.is_calibrated,
    pooled.category,
    pooled.config_key
from {{ ref('int_roll_up_features_listed') }} as pooled
inner join {{ ref('int_groups_listed') }} as listed_groups
    on
        pooled.suite = listed_groups.suite
        and pooled.category = listed_groups.category
        and pooled.config_key = listed_groups.config_key
inner join (values (false), (true)) as calibrations (is_calibrated)
    on not calibrations.is_calibrated or pooled.has_baseline
where listed_groups.roll_up = 'none' and (listed_groups.config <> 'baseline' or pooled.has_baseline)
