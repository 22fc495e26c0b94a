-- Grain: one row per suite, axis.
with source as (
    select * from {{ source('raw', 'suite_pairs') }}
)

select
    suite,
    axis,
    against,
    text_variant
from source
