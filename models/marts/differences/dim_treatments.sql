-- Grain: one row per suite, treatment_kind, treatment, config_control, config_treated: what is changed, and
-- which of the two was asked a prompt first.
with configs as (
    select * from {{ ref('int_configs_labelled') }}
),

treatments as (
    select * from {{ ref('int_treatments_listed') }}
),

answered as (
    select
        responses.config_key,
        responses.prompt_key,
        responses.repeat_index,
        responses.answered_at
    from {{ ref('stg_generate__responses') }} as responses
),

paired as (
    select
        treatments.treatment_id,
        control.answered_at as control_answered_at,
        treated.answered_at as treated_answered_at
    from treatments
    inner join answered as control on treatments.config_key_control = control.config_key
    inner join answered as treated
        on
            treatments.config_key_treated = treated.config_key
            and control.prompt_key = treated.prompt_key
            and control.repeat_index = treated.repeat_index
    inner join {{ ref('int_responses_joined') }} as responses
        on
            treatments.suite = responses.suite
            and control.config_key = responses.config_key
            and control.prompt_key = responses.prompt_key
            and control.repeat_index = responses.repeat_index
),

counted as (
    select
        treatment_id,
        count(*) as n_pairs,
        count(*) filter (where control_answered_at < treated_answered_at) as n_control_first,
        count(*) filter (where treated_answered_at < control_answered_at) as n_treated_first
    from paired
    group by treatment_id
)

select
    treatments.suite,
    treatments.treatment_kind,
    treatments.treatment,
    control.config as config_control,
    treated.config as config_treated,
    treatments.is_simulated,
    control.model as model_control,
    treated.model as model_treated,
    control.role as role_control,
    treated.role as role_treated,
    control.system_prompt as system_prompt_control,
    treated.system_prompt as system_prompt_treated,
    control.template as template_control,
    treated.template as template_treated,
    control.options as options_control,
    treated.options as options_treated,
    control.model <> treated.model or control.digest <> treated.digest as is_other_model,
    control.system_prompt <> treated.system_prompt as is_other_system_prompt,
    control.template <> treated.template as is_other_template,
    control.options <> treated.options as has_other_options,
    coalesce(counted.n_pairs, 0) as n_pairs,
    coalesce(counted.n_control_first, 0) as n_control_first,
    coalesce(counted.n_treated_first, 0) as n_treated_first,
    -- Drawn for each prompt, either goes first about as often; asked one after the other, one always does.
    case
        when coalesce(counted.n_control_first, 0) + coalesce(counted.n_treated_first, 0) = 0 then 'unknown'
        when
            least(counted.n_control_first, counted.n_treated_first)
            >= (counted.n_control_first + counted.n_treated_first) / 4
            then 'crossed'
        else 'one_first'
    end as asking_order
from treatments
inner join configs as control on treatments.config_key_control = control.config_key
inner join configs as treated on treatments.config_key_treated = treated.config_key
left join counted using (treatment_id)
