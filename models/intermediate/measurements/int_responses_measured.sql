-- Grain: one row per response_key, feature: what was measured here, and what came with the answers.
{%- set columns = [
    'response_key', 'prompt_key', 'config_key', 'suite', 'domain', 'category', 'config', 'model', 'role',
    'is_simulated', 'feature', 'scorer', 'text_variant', 'value', 'measurement_status'
] %}
select
    {{ columns | join(',\n    ') }},
    baseline_value
from {{ ref('int_texts_measured') }}
union all
select
    {{ columns | join(',\n    ') }},
    baseline_value
from {{ ref('int_topics_measured') }}
union all
select
    {{ columns | join(',\n    ') }},
    -- A distance is from the baseline already: there is nothing to take off (SPEC CAL-1).
    cast(null as double) as baseline_value
from {{ ref('int_distances_measured') }}
union all
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
    cast(null as string) as text_variant,
    value,
    measurement_status,
    -- Of a text that nobody answered there are no probabilities.
    cast(null as double) as baseline_value
from {{ ref('int_probabilities_measured') }}
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
    cast(null as string) as text_variant,
    case when responses.is_usable then ready.value end as value,
    case
        when not responses.is_usable then 'failed_response'
        when ready.value is null and ready.measurement_status = 'ok' then 'not_finite'
        else ready.measurement_status
    end as measurement_status,
    ready.baseline_value
from {{ ref('stg_load__ready_measurements') }} as ready
inner join {{ ref('int_responses_joined') }} as responses using (response_key)
