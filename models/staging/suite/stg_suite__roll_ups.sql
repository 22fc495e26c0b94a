-- Grain: one row per suite, roll_up.
select
    suite,
    unnest(cast(definition -> 'roll_up' as varchar[])) as roll_up
from {{ source('raw', 'suites') }}
