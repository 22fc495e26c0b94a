-- Grain: one row per suite: what was set before anything was asked.
select
    suite,
    suite_key,
    title,
    description,
    version,
    language,
    variant,
    array_to_string(profiles, ', ') as profiles,
    minimum_group,
    minimum_cell,
    minimum_coverage,
    seed,
    n_permutations,
    n_bootstrap,
    array_to_string(scorers, ', ') as scorers,
    file_sha256,
    responsible,
    licence
from {{ ref('dim_suites') }}
