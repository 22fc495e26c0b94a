-- No number lies outside of what its scorer says that it can give (SPEC DQ-4).
select
    measurements.text_key,
    measurements.scorer_key,
    measurements.feature,
    measurements.value
from {{ ref('stg_extract__measurements') }} as measurements
inner join {{ ref('stg_extract__scorer_features') }} as features
    on
        measurements.scorer_key = features.scorer_key
        and measurements.feature = features.feature
where
    measurements.value is not null
    and (measurements.value between features.range_low and features.range_high) is not true
