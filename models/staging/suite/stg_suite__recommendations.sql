-- Grain: one row per suite, category.
select
    suite,
    unnest(cast(definition -> '$.recommendations.categories' as varchar[])) as category,
    definition ->> '$.recommendations.separator' as separator, -- noqa: RF04
    cast(definition -> '$.recommendations.numbered' as boolean) as is_numbered,
    cast(definition -> '$.recommendations.size' as integer) as list_size,
    cast(definition -> '$.recommendations.as_langfair' as boolean) as has_langfair_scale
from {{ source('raw', 'suites') }}
