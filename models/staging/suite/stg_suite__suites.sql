-- Grain: one row per suite.
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
    licence
from {{ source('raw', 'suites') }}
