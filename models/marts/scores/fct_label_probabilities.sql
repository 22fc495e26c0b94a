-- Grain: one row per suite, category, config, axis, outcome_set, group_value, label (SPEC MEA-7): how likely
-- answers began as each label does, by group, and how much of their probability the labels cover.
with measured as (
    select * from {{ ref('int_probabilities_measured') }}
),

labels as (
    select distinct
        suite,
        category,
        outcome_set,
        label,
        label_position,
        is_favourable,
        min_mass
    from {{ ref('stg_suite__beginnings') }}
),

probabilities as (
    select * from {{ ref('int_label_probabilities_computed') }}
),

counted as (
    select
        measured.suite,
        measured.domain,
        measured.category,
        measured.config_key,
        measured.config,
        measured.model,
        measured.role,
        measured.is_simulated,
        grouped.axis,
        measured.outcome_set,
        measured.feature,
        grouped.group_value,
        grouped.attribute_codes,
        labels.label,
        labels.label_position,
        labels.is_favourable,
        labels.min_mass,
        avg(probabilities.probability) as probability,
        avg(measured.covered_mass) as covered_mass,
        min(measured.covered_mass) as covered_mass_least,
        count(*) as n_responses,
        count(measured.value) as n,
        count(*) filter (where measured.measurement_status = 'low_mass') as n_low_mass,
        count(*) filter (where measured.measurement_status = 'no_probabilities') as n_no_probabilities,
        count(*) filter (where measured.measurement_status = 'failed_response') as n_failed
    from measured
    inner join labels using (suite, category, outcome_set)
    inner join {{ ref('int_prompts_grouped') }} as grouped using (suite, category, prompt_key)
    left join probabilities
        on
            measured.response_key = probabilities.response_key
            and measured.outcome_set = probabilities.outcome_set
            and labels.label = probabilities.label
    group by all
)

select
    {{ contract_columns(without=['exposure', 'is_control', 'metric_version']) }},
    exposed.exposure,
    exposed.is_control,
    1 as metric_version
from counted
inner join {{ ref('int_axes_shown') }} as exposed using (suite, category, config_key, axis)
