-- Grain: one row per sample_key, outcome_set, response_key.
select
    sample_key,
    suite,
    category,
    outcome_set,
    response_key,
    stratum,
    probability,
    is_new,
    drawn_at
from {{ source('raw', 'label_samples') }}
