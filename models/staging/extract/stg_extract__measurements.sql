-- Grain: one row per text_key, scorer_key, feature.
select
    text_key,
    scorer_key,
    feature,
    {{ finite("value") }} as value,
    measurement_status
from {{ source('raw', 'measurements') }}
