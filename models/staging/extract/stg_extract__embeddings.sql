-- Grain: one row per text_key, scorer_key.
select
    text_key,
    scorer_key,
    vector,
    measurement_status
from {{ source('raw', 'embeddings') }}
