-- Grain: one row per suite, category.
with categories as (
    select
        suite,
        {{ unnested_in_places(
            json_members('definition', 'categories'), 'category', 'category_position', first=0
        ) }}
    from {{ source('raw', 'suites') }}
)

select
    categories.suite,
    categories.category.key as category,
    categories.category_position,
    {{ json_text('categories.category.value', 'domain') }} as domain,
    {{ json_text('categories.category.value', 'title') }} as title,
    {{ json_text('categories.category.value', 'description') }} as description,
    -- A suite of an earlier version does not say.
    coalesce({{ json_text('categories.category.value', 'score') }}, 'answer') as scored_as
from categories
