-- Grain: one row per response_key, feature, category, config_key: each measurement under its own names, and
-- under those of every level that pools it.
with measurements as (
    select * from {{ ref('int_measurements_combined') }}
)

select
    response_key,
    prompt_key,
    config_key,
    suite,
    category,
    feature,
    value,
    baseline_value
from measurements
union all
select
    measurements.response_key,
    measurements.prompt_key,
    roll_ups.pooled_config_key as config_key,
    measurements.suite,
    roll_ups.pooled_category as category,
    measurements.feature,
    measurements.value,
    measurements.baseline_value
from measurements
inner join {{ ref('int_roll_ups_listed') }} as roll_ups using (suite, category, config_key)
