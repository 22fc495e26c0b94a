-- Grain: one row per scorer_key, feature.
select
    scorer_key,
    feature,
    range_low,
    range_high
from {{ source('raw', 'scorer_features') }}
