-- Grain: one row per rule, suite, category, config, scope.
select
    rule,
    area,
    description,
    suite,
    category,
    config,
    scope,
    n_records,
    n_failing,
    rate,
    n_removed,
    limit_rate,
    is_passed,
    is_blocking,
    spec
from {{ ref('fct_quality') }}
