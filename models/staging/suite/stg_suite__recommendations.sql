-- Grain: one row per suite, category.
select
    suite,
    category,
    separator,
    is_numbered,
    list_size,
    has_langfair_scale
from {{ source('raw', 'suite_recommendations') }}
