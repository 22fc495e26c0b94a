-- Grain: one row per suite.
with source as (
    select * from {{ source('raw', 'suites') }}
)

select
    suite,
    suite_key,
    title,
    description,
    version,
    language,
    variant,
    profiles,
    minimum_group,
    minimum_cell,
    minimum_coverage,
    seed,
    n_permutations,
    n_bootstrap,
    scorers,
    file_sha256,
    run_id,
    responsible,
    licence,
    coalesce(gate_family, 'config') as gate_family
from source
