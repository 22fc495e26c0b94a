-- Grain: one row per text_key, scorer_key.
with source as (
    select * from {{ source('raw', 'embeddings') }}
)

select
    text_key,
    scorer_key,
    vector,
    measurement_status
from source
