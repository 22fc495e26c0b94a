-- Grain: one row per suite, feature: declared ranges.
with source as (
    select * from {{ source('raw', 'suite_features') }}
)

select
    suite,
    feature,
    range_low,
    range_high
from source
