-- Grain: one row per suite, roll_up.
select
    suite,
    {{ unnested(json_texts('definition', 'roll_up')) }} as roll_up
from {{ source('raw', 'suites') }}
