-- Grain: one row per scorer_key, feature.
with source as (
    select * from {{ source('raw', 'scorer_features') }}
)

select
    scorer_key,
    feature,
    range_low,
    range_high
from source
