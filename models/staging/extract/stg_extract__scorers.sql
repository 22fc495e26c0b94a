-- Grain: one row per scorer_key.
select
    scorer_key,
    scorer,
    model,
    revision,
    version,
    parameters
from {{ source('raw', 'scorers') }}
