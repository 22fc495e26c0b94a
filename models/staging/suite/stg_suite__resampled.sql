-- Grain: one row per suite, part, item.
with source as (
    select * from {{ source('raw', 'suite_resampled') }}
)

select
    suite,
    part,
    item
from source
