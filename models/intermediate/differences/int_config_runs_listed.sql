-- Grain: one row per config_run_key: suite, run (`this` or `earlier`), config: who answered.
with config_runs as (
    select distinct
        suite,
        'this' as run,
        config,
        model,
        role,
        is_simulated
    from {{ ref('int_analyses_listed') }}
    union all
    select distinct
        earlier.suite,
        'earlier' as run,
        earlier.config,
        earlier.model,
        earlier.role,
        earlier.is_simulated
    from {{ ref('stg_compare__earlier_outcomes') }} as earlier
    semi join {{ ref('stg_suite__suites') }} using (suite)
)

select
    row_number() over (order by suite, run, config) as config_run_key,
    *
from config_runs
