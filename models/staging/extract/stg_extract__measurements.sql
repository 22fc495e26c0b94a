-- Grain: one row per text_key, scorer_key, feature.
with source as (
    select * from {{ source('raw', 'measurements') }}
)

select
    text_key,
    scorer_key,
    feature,
    {{ finite("value") }} as value,
    measurement_status
from source
