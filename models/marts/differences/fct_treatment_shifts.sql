-- Grain: one row per suite, treatment_kind, treatment, category, config_control, config_treated, part,
-- measure, outcome, axis, group_value: the treated config less its control, over the same prompts.
with config_runs as (
    select * from {{ ref('int_config_runs_listed') }}
),

tests as (
    select
        listed.suite,
        treatments.treatment_kind,
        treatments.treatment,
        listed.domain,
        listed.category,
        control.config as config_control,
        treated.config as config_treated,
        treatments.is_simulated,
        listed.part,
        listed.measure,
        listed.outcome,
        listed.axis,
        resampled.group_value,
        case
            when listed.part = 'precision' then 'precision'
            when listed.part = 'measurement' or listed.measure = 'answer_length' then 'mean'
            else 'share'
        end as metric,
        case
            when listed.part = 'measurement' then 'score units'
            when listed.measure = 'answer_length' then 'characters'
            else 'share'
        end as unit,
        resampled.value_a as value_control,
        resampled.value_b as value_treated,
        resampled.difference as shift,
        resampled.status,
        resampled.ci_low,
        resampled.ci_high,
        resampled.ci_status,
        resampled.p_value,
        resampled.null_median,
        resampled.null_p05,
        resampled.null_p95,
        resampled.n as n_pairs,
        resampled.n_unpaired_a as n_unpaired_control,
        resampled.n_unpaired_b as n_unpaired_treated,
        resampled.resampling_unit,
        resampled.n_units,
        resampled.n_units_differing,
        -- Where both answered alike, nothing is tested.
        case when resampled.n_units_differing > 0 then resampled.p_value end as family_p,
        listed.axis = '' as is_of_all
    from {{ ref('int_treatment_shifts_listed') }} as listed
    inner join {{ ref('int_treatments_listed') }} as treatments on listed.pair_id = treatments.treatment_id
    inner join {{ ref('int_treatment_shifts_resampled') }} as resampled using (pair_id, analysis_key)
    inner join config_runs as control on listed.config_run_a = control.config_run_key
    inner join config_runs as treated on listed.config_run_b = treated.config_run_key
),

-- One family is what is read of one change in one part: of all answers over questions and measures, and of
-- groups over axes and groups, too (SPEC INF-7).
adjusted as (
    {{ with_adjusted_p('tests', 'family_p', [
        'suite', 'treatment_kind', 'treatment', 'config_control', 'config_treated', 'part', 'is_of_all'
    ]) }}
)

select
    {{ contract_columns(without=['n_tests', 'state', 'metric_version']) }},
    cast(n_tests as bigint) as n_tests,
    case
        when shift is null then 'not_computable'
        when coalesce({{ meets('p_holm', '<=', significance_level()) }} and ci_low > 0, false) then 'more'
        when coalesce({{ meets('p_holm', '<=', significance_level()) }} and ci_high < 0, false) then 'less'
        else 'no_evidence'
    end as state,
    1 as metric_version
from adjusted
