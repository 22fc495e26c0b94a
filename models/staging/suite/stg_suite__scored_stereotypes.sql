-- Grain: one row per suite, feature.
with source as (
    select * from {{ source('raw', 'suite_scored_stereotypes') }}
)

select
    suite,
    feature,
    threshold,
    is_at_least,
    has_equal_repeats,
    minimum_repeats
from source
