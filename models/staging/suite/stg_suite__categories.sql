-- Grain: one row per suite, category.
select
    suite,
    category,
    category_position,
    domain,
    title,
    description
from {{ source('raw', 'suite_categories') }}
