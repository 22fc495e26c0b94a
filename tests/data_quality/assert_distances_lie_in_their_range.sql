-- No distance lies outside of what its row of the seed says, no membership outside of 0 to 1 (SPEC DQ-4).
with ranges as (
    select
        asked.suite,
        asked.feature,
        coalesce(kinds.range_low, 0) as range_low,
        coalesce(kinds.range_high, 'inf') as range_high
    from {{ ref('stg_suite__distances') }} as asked
    inner join {{ ref('distances') }} as kinds on asked.distance = kinds.distance
    union all
    select
        suite,
        feature,
        coalesce(range_low, 0) as range_low,
        coalesce(range_high, 'inf') as range_high
    from {{ ref('int_topic_features_listed') }}
)

select
    measurements.response_key,
    measurements.feature,
    measurements.value
from {{ ref('fct_measurements') }} as measurements
inner join ranges
    on
        measurements.suite = ranges.suite
        and measurements.feature = ranges.feature
where
    measurements.value is not null
    and (measurements.value between ranges.range_low and ranges.range_high) is not true
