-- Grain: one row per response_key, outcome_set. Failed responses keep a row without an outcome.
select
    response_key,
    prompt_key,
    suite,
    domain,
    category,
    config,
    model,
    role,
    is_simulated,
    response_status,
    outcome_set,
    variant,
    rule_kind,
    outcome,
    outcome_status,
    is_matched,
    is_counted,
    n_matches,
    similarity,
    margin,
    score
from {{ ref('int_outcomes_assigned') }}
