-- Grain: one row per response_key, feature.
select
    response_key,
    feature,
    {{ finite("value") }} as value,
    {{ finite("baseline_value") }} as baseline_value,
    measurement_status
from {{ source('raw', 'ready_measurements') }}
