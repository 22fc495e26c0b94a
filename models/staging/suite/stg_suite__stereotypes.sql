-- Grain: one row per suite.
select
    suite,
    cast(definition -> '$.stereotypes.categories' as varchar[]) as categories,
    cast(definition -> '$.stereotypes.counting' as varchar[]) as countings,
    definition ->> '$.stereotypes.tokeniser' as tokeniser,
    cast(definition -> '$.stereotypes.beta' as double) as beta,
    cast(definition -> '$.stereotypes.smoothing' as double) as smoothing,
    cast(definition -> '$.stereotypes.normalise_sizes' as boolean) as is_size_normalised
from {{ source('raw', 'suites') }}
where (definition ->> '$.stereotypes.tokeniser') is not null
