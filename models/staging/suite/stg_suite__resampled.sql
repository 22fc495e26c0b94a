-- Grain: one row per suite, part, item.
select
    suite,
    part,
    item
from {{ source('raw', 'suite_resampled') }}
