-- Grain: one row per treatment_id: suite, treatment_kind, treatment, and the two configs that answered: the
-- control as it is, the treated one with a change.
-- treatment_kind: `mitigation` (named in the suite), `role` (a model in a role, and the same without one).
with latest as (
    select
        config_key,
        max(answered_at) as last_answered_at
    from {{ ref('stg_generate__responses') }}
    group by config_key
),

answering as (
    select
        config_runs.config_run_key,
        config_runs.suite,
        config_runs.config,
        config_runs.role,
        configs.config_key,
        configs.backend,
        configs.is_simulated,
        configs.model,
        configs.digest,
        configs.quantisation,
        configs.template,
        configs.options,
        settings.no_role,
        latest.last_answered_at
    from {{ ref('int_config_runs_listed') }} as config_runs
    inner join {{ ref('int_configs_labelled') }} as configs using (config)
    inner join {{ ref('stg_suite__suites') }} as settings using (suite)
    left join latest using (config_key)
    where config_runs.run = 'this'
),

-- A config that was asked again with other weights has the first digits of its key behind its name.
named as (
    select
        mitigations.suite,
        mitigations.mitigation,
        answering.config_run_key,
        answering.config_key,
        answering.is_simulated,
        mitigations.control = answering.config
        or mitigations.control || ' #' || left(answering.config_key, 6) = answering.config as is_control,
        row_number() over (
            partition by
                mitigations.suite, mitigations.mitigation,
                mitigations.control = answering.config
                or mitigations.control || ' #' || left(answering.config_key, 6) = answering.config
            order by answering.last_answered_at desc nulls last, answering.config asc
        ) as place
    from {{ ref('stg_suite__mitigations') }} as mitigations
    inner join answering
        on
            mitigations.suite = answering.suite
            and answering.config in (
                mitigations.control,
                mitigations.treated,
                mitigations.control || ' #' || left(answering.config_key, 6),
                mitigations.treated || ' #' || left(answering.config_key, 6)
            )
),

mitigations as (
    select
        'mitigation' as treatment_kind,
        control.suite,
        control.mitigation as treatment,
        control.is_simulated,
        control.config_run_key as config_run_control,
        treated.config_run_key as config_run_treated,
        control.config_key as config_key_control,
        treated.config_key as config_key_treated
    from named as control
    inner join named as treated using (suite, mitigation, is_simulated)
    where control.is_control and not treated.is_control and control.place = 1 and treated.place = 1
),

roles as (
    select
        'role' as treatment_kind,
        treated.suite,
        treated.role as treatment,
        treated.is_simulated,
        control.config_run_key as config_run_control,
        treated.config_run_key as config_run_treated,
        control.config_key as config_key_control,
        treated.config_key as config_key_treated,
        count(*) over (partition by treated.config_run_key) as n_controls
    from answering as treated
    inner join answering as control
        on
            treated.suite = control.suite
            and treated.backend = control.backend
            and treated.model = control.model
            and treated.digest = control.digest
            and treated.quantisation = control.quantisation
            and treated.template = control.template
            -- Of simulated answers the options are what the role does.
            and (treated.options = control.options or treated.is_simulated)
    where control.role = control.no_role and treated.role <> treated.no_role
),

treatments as (
    select * from mitigations
    union all
    -- Where several could be the one without a role, only the suite can say which is.
    select * {{ without('n_controls') }} from roles
    where n_controls = 1
)

select
    row_number() over (
        order by suite, treatment_kind, treatment, config_run_control, config_run_treated
    ) as treatment_id,
    *
from treatments
