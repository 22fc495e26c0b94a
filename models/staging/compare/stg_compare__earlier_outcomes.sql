-- Grain: one row per suite, category, config, outcome_set, prompt_key, repeat_index.
select
    suite,
    category,
    config,
    model,
    role,
    is_simulated,
    outcome_set,
    rule_kind,
    prompt_key,
    repeat_index,
    outcome,
    is_counted,
    {{ finite('score') }} as score
from {{ source('raw', 'earlier_outcomes') }}
