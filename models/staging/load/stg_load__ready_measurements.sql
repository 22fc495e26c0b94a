-- Grain: one row per response_key, feature.
with source as (
    select * from {{ source('raw', 'ready_measurements') }}
)

select
    response_key,
    feature,
    {{ finite("value") }} as value,
    {{ finite("baseline_value") }} as baseline_value,
    measurement_status
from source
