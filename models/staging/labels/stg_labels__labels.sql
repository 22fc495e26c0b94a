-- Grain: one row per outcome_set, response_key, annotator.
select
    suite,
    category,
    outcome_set,
    response_key,
    annotator,
    source,
    label,
    {{ finite("value") }} as value,
    sample_key,
    seconds,
    labelled_at
from {{ source('raw', 'labels') }}
