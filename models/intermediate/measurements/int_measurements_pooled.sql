-- Grain: one row per response_key, feature, category, config_key: each measurement under its own names, and
-- under those of every level that pools it. has_baseline: whether baselines were measured in its category.
-- Read twice by its name: rows of a CTE that is read twice are written out first.
select
    measurements.response_key,
    measurements.prompt_key,
    measurements.config_key,
    measurements.suite,
    measurements.category,
    measurements.feature,
    measurements.value,
    measurements.baseline_value,
    measured.has_baseline
from {{ ref('int_measurements_combined') }} as measurements
inner join {{ ref('int_features_measured') }} as measured
    on
        measurements.suite = measured.suite
        and measurements.category = measured.category
        and measurements.feature = measured.feature
union all
select
    measurements.response_key,
    measurements.prompt_key,
    pooled.pooled_config_key as config_key,
    measurements.suite,
    pooled.pooled_category as category,
    measurements.feature,
    measurements.value,
    measurements.baseline_value,
    pooled.has_baseline
from {{ ref('int_measurements_combined') }} as measurements
inner join {{ ref('int_roll_up_features_listed') }} as pooled
    on
        measurements.suite = pooled.suite
        and measurements.category = pooled.category
        and measurements.config_key = pooled.config_key
        and measurements.feature = pooled.feature
