-- Grain: one row per suite, category.
with source as (
    select * from {{ source('raw', 'suite_categories') }}
)

select
    suite,
    category,
    category_position,
    domain,
    title,
    description
from source
