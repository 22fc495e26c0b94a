-- Grain: one row per suite, roll_up.
with source as (
    select * from {{ source('raw', 'suite_roll_ups') }}
)

select
    suite,
    roll_up
from source
