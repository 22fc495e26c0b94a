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
    file_sha256
from {{ ref('stg_suite__suites') }}
