-- Grain: one row per suite, feature.
select
    suite,
    feature,
    threshold,
    is_at_least,
    has_equal_repeats,
    minimum_repeats
from {{ source('raw', 'suite_scored_stereotypes') }}
