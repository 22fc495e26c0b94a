-- Grain: one row per suite.
select
    suite,
    suite_key,
    definition ->> 'title' as title,
    definition ->> 'description' as description,
    cast(definition -> 'version' as integer) as version, -- noqa: RF04
    definition ->> 'language' as language, -- noqa: RF04
    definition ->> 'variant' as variant,
    cast(definition -> 'profiles' as varchar[]) as profiles,
    cast(definition -> '$.minimum.group' as integer) as minimum_group,
    cast(definition -> '$.minimum.cell' as integer) as minimum_cell,
    cast(definition -> '$.minimum.coverage' as double) as minimum_coverage,
    cast(definition -> '$.resampling.seed' as bigint) as seed,
    cast(definition -> '$.resampling.permutations' as integer) as n_permutations,
    cast(definition -> '$.resampling.bootstrap' as integer) as n_bootstrap,
    cast(definition -> 'scorers' as varchar[]) as scorers,
    file_sha256,
    run_id,
    nullif(definition ->> 'responsible', '') as responsible,
    nullif(definition ->> 'licence', '') as licence,
    definition ->> '$.families.gate' as gate_family
from {{ source('raw', 'suites') }}
