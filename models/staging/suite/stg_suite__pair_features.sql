-- Grain: one row per suite, feature.
with source as (
    select * from {{ source('raw', 'suite_pair_features') }}
)

select
    suite,
    feature
from source
