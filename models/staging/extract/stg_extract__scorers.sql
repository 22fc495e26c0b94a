-- Grain: one row per scorer_key.
with source as (
    select * from {{ source('raw', 'scorers') }}
)

select
    scorer_key,
    scorer,
    model,
    revision,
    version,
    parameters
from source
