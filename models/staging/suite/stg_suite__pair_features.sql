-- Grain: one row per suite, feature.
select
    suite,
    unnest(cast(definition -> '$.pairs.features' as varchar[])) as feature
from {{ source('raw', 'suites') }}
