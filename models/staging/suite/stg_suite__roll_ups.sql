-- Grain: one row per suite, roll_up.
select
    suite,
    roll_up
from {{ source('raw', 'suite_roll_ups') }}
