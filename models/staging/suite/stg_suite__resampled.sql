-- Grain: one row per suite, part, item.
with parts as (
    select
        suite,
        definition -> 'resampling' as resampling,
        unnest(['statistic', 'standard', 'method']) as part
    from {{ source('raw', 'suites') }}
)

select
    suite,
    part,
    unnest(cast(json_extract(resampling, part || 's') as varchar[])) as item
from parts
