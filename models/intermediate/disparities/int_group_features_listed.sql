-- Grain: one row per group_feature_key: a group's values of a feature, raw or calibrated.
{%- set pooled_key = 'suite, pooled_category, pooled_config_key, axis, feature, is_calibrated' %}
with groups as (
    select * from {{ ref('int_groups_listed') }}
),

features as (
    select
        *,
        max(feature_id) over () + 1 as n_feature_ids
    from {{ ref('int_features_listed') }}
),

parts as (
    select * from {{ ref('int_pooled_parts_listed') }}
),

pooled as (
    select
        {{ pooled_key }},
        {{ joined_list('array_sort(array_agg(distinct category))', "'; '") }} as pooled_categories
    from parts
    group by {{ pooled_key }}
),

listed as (
    select
        {{ group_feature_key('groups.group_id') }}
        + cast(calibrations.is_calibrated as integer) as group_feature_key,
        {{ group_feature_key('groups.group_set_key') }}
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
    from groups
    inner join features
        on
            groups.suite = features.suite
            and groups.category = features.category
    inner join (values (false, 'none'), (true, 'baseline')) as calibrations (is_calibrated, calibration)
        on not calibrations.is_calibrated or features.has_baseline
    -- The baseline has the features whose baselines were measured.
    where groups.config <> 'baseline' or features.has_baseline
),

-- A level has the groups of those of its categories that have the feature, and no others.
occurring as (
    select * from listed
    where roll_up = 'none'
    union all
    select listed.*
    from listed
    semi join parts
        on
            listed.suite = parts.suite
            and listed.category = parts.pooled_category
            and listed.config_key = parts.pooled_config_key
            and listed.axis = parts.axis
            and listed.group_value = parts.group_value
            and listed.feature = parts.feature
            and listed.is_calibrated = parts.is_calibrated
)

select
    occurring.*,
    pooled.pooled_categories
from occurring
left join pooled
    on
        occurring.suite = pooled.suite
        and occurring.category = pooled.pooled_category
        and occurring.config_key = pooled.pooled_config_key
        and occurring.axis = pooled.axis
        and occurring.feature = pooled.feature
        and occurring.is_calibrated = pooled.is_calibrated
