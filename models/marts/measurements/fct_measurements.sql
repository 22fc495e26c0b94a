-- Grain: one row per response_key, feature. Config `baseline`: the prompt's baseline itself.
select
    {{ contract_columns(without=['calibrated_value']) }},
    value - baseline_value as calibrated_value
from {{ ref('int_measurements_combined') }}
