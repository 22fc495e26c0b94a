-- Grain: one row per response_key, feature. Config `baseline`: the prompt's baseline itself.
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
    baseline_value,
    value - baseline_value as calibrated_value
from {{ ref('int_measurements_combined') }}
