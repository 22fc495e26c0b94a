-- Grain: one row per suite, category.
with categories as (
    select
        suite,
        {{ members("definition -> 'categories'") }} as category,
        {{ positions("definition -> 'categories'") }} as category_position
    from {{ source('raw', 'suites') }}
)

select
    categories.suite,
    categories.category.key as category,
    categories.category_position,
    categories.category.value ->> 'domain' as domain,
    categories.category.value ->> 'title' as title,
    categories.category.value ->> 'description' as description
from categories
