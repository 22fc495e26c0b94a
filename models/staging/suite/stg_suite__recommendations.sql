-- Grain: one row per suite, category.
with source as (
    select * from {{ source('raw', 'suite_recommendations') }}
)

select
    suite,
    category,
    separator,
    is_numbered,
    list_size,
    has_langfair_scale
from source
