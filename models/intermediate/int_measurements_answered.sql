-- Grain: one row per response_key, feature: what was measured here, and what came measured.
with measured as (
    select * from {{ ref('int_measurements_joined') }}
),

ready as (
    select * from {{ ref('stg_load__ready_measurements') }}
),

responses as (
    select * from {{ ref('int_responses_joined') }}
)

select
    response_key,
    prompt_key,
    config_key,
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
    baseline_value
from measured
union all
select
    ready.response_key,
    responses.prompt_key,
    responses.config_key,
    responses.suite,
    responses.domain,
    responses.category,
    responses.config,
    responses.model,
    responses.role,
    responses.is_simulated,
    ready.feature,
    'ready' as scorer,
    cast(null as varchar) as text_variant,
    ready.value,
    case
        when ready.value is null and ready.measurement_status = 'ok' then 'not_finite'
        else ready.measurement_status
    end as measurement_status,
    ready.baseline_value
from ready
inner join responses on ready.response_key = responses.response_key
