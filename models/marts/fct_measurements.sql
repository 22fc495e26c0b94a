-- Grain: one row per response_key, feature.
select
    response_key,
    prompt_key,
    suite,
    domain,
    category,
    config,
    model,
    role,
    is_simulated,
    feature,
    scorer,
    text_variant,
    value,
    measurement_status,
    cast(null as double) as baseline_value,
    cast(null as double) as calibrated_value
from {{ ref('int_measurements_joined') }}
