-- What a scorer's feature can be at most (SPEC DQ-4): VADER's compound from -1 to 1, its shares from 0 to 1;
-- a distance what its row of the seed says.
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
left join ranges
    on
        measurements.suite = ranges.suite
        and measurements.feature = ranges.feature
where
    (measurements.scorer = 'vader' or ranges.feature is not null)
    and measurements.value is not null
    and (
        measurements.value
        between coalesce(ranges.range_low, if(measurements.feature like '%compound%', -1, 0))
        and coalesce(ranges.range_high, 1)
    ) is not true
