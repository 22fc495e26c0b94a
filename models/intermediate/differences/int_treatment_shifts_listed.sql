-- Grain: one row per pair_id, analysis_key: a number of two configs' answers, of all of them (axis '') or by
-- the groups of an attribute that the prompts of both show.
with values_listed as (
    select distinct
        suite,
        domain,
        category,
        config_key,
        part,
        measure,
        outcome
    from {{ ref('int_treatment_values_listed') }}
),

axes as (
    select
        suite,
        category,
        config_key,
        axis,
        axis_position
    from {{ ref('int_axes_shown') }}
    where n_attributes = 1 and not is_control
    union all
    select distinct
        suite,
        category,
        config_key,
        '' as axis,
        -1 as axis_position
    from values_listed
),

shown as (
    select
        values_listed.*,
        axes.axis,
        axes.axis_position
    from values_listed
    inner join axes using (suite, category, config_key)
),

paired as (
    select
        treatments.treatment_id,
        treatments.config_run_control,
        treatments.config_run_treated,
        control.suite,
        control.domain,
        control.category,
        control.part,
        control.measure,
        control.outcome,
        control.axis,
        control.axis_position
    from {{ ref('int_treatments_listed') }} as treatments
    inner join shown as control
        on treatments.suite = control.suite and treatments.config_key_control = control.config_key
    inner join shown as treated
        on
            treatments.config_key_treated = treated.config_key
            and control.suite = treated.suite
            and control.category = treated.category
            and control.part = treated.part
            and control.measure = treated.measure
            and control.outcome = treated.outcome
            and control.axis = treated.axis
)

select
    paired.treatment_id as pair_id,
    dense_rank() over (
        order by
            paired.suite, paired.category, paired.part, paired.measure, paired.outcome,
            paired.axis_position, paired.axis
    ) as analysis_key,
    paired.config_run_control as config_run_a,
    paired.config_run_treated as config_run_b,
    'score' as measure_kind,
    paired.suite,
    paired.domain,
    paired.category,
    paired.part,
    paired.measure,
    paired.outcome,
    paired.axis,
    settings.seed,
    settings.n_permutations,
    settings.n_bootstrap,
    settings.minimum_cell
from paired
inner join {{ ref('stg_suite__suites') }} as settings using (suite)
