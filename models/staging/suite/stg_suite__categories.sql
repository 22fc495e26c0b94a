-- Grain: one row per suite, category.
with categories as (
    select
        suite,
        {{ members("definition -> 'categories'") }} as category,
        {{ positions("definition -> 'categories'") }} as category_position
    from {{ source('raw', 'suites') }}
)

select
    suite,
    category.key as category,
    category_position,
    category.value ->> 'domain' as domain,
    category.value ->> 'title' as title,
    category.value ->> 'description' as description
from categories
