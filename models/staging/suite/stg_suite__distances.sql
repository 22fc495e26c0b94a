-- Grain: one row per suite, distance: how answers are held against their baselines.
with source as (
    select * from {{ source('raw', 'suite_distances') }}
)

select
    suite,
    distance,
    scorer,
    feature
from source
