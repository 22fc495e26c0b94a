-- Grain: one row per suite, axis.
select
    suite,
    unnest(cast(definition -> '$.pairs.axes' as varchar[])) as axis,
    definition ->> '$.pairs.against' as against,
    definition ->> '$.pairs.text' as text_variant
from {{ source('raw', 'suites') }}
