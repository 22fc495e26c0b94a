-- Grain: one row per scorer.
select
    scorer,
    model,
    revision,
    version,
    parameters,
    is_encoder
from {{ ref('int_scorers_current') }}
