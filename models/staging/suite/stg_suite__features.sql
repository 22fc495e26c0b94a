-- Grain: one row per suite, feature: declared ranges.
select
    suite,
    feature,
    range_low,
    range_high
from {{ source('raw', 'suite_features') }}
