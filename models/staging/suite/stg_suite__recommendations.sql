-- Grain: one row per suite, category.
select
    suite,
    {{ unnested(json_texts('definition', 'recommendations.categories')) }} as category,
    {{ json_text('definition', 'recommendations.separator') }} as separator, -- noqa: RF04
    cast({{ json_text('definition', 'recommendations.numbered') }} as boolean) as is_numbered,
    {{ json_text('definition', 'recommendations.rest') }} as rest_pattern,
    cast({{ json_text('definition', 'recommendations.size') }} as integer) as list_size,
    cast({{ json_text('definition', 'recommendations.as_langfair') }} as boolean) as has_langfair_scale
from {{ source('raw', 'suites') }}
