-- Grain: one row per text_key_a, text_key_b, scorer_key, feature.
select
    text_key_a,
    text_key_b,
    scorer_key,
    feature,
    {{ finite("value") }} as value,
    measurement_status
from {{ source('raw', 'text_pairs') }}
