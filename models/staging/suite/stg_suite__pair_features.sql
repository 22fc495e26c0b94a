-- Grain: one row per suite, feature.
select
    suite,
    feature
from {{ source('raw', 'suite_pair_features') }}
