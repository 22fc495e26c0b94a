-- Grain: one row per suite, distance: how answers are held against their baselines.
select
    suite,
    distance,
    scorer,
    feature
from {{ source('raw', 'suite_distances') }}
