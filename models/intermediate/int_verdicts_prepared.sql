-- Grain: one row per suite, category, config_key, measure, axis, metric, group_value: all that a threshold judges.
with analyses as (
    select * from {{ ref('int_analyses_listed') }}
),

tests as (
    select * from {{ ref('int_tests_adjusted') }}
),

associations as (
    select * from {{ ref('int_associations_computed') }}
),

deviations as (
    select
        analysis_id,
        metric,
        max(value) as value,
        max(attainable_max) as attainable_max,
        arg_max(group_value, (value, group_value)) as group_value
    from {{ ref('int_deviations_computed') }}
    where reference = 'pooled'
    group by analysis_id, metric
),

shifts as (
    select
        analysis_id,
        max(abs(dbi)) as value,
        max(attainable_max) as attainable_max,
        arg_max(group_value, (abs(dbi), group_value)) as group_value
    from {{ ref('int_scores_computed') }}
    group by analysis_id
),

selections as (
    select
        analysis_id,
        arg_min(group_value, (value, group_value)) as group_value
    from {{ ref('int_groups_resampled') }}
    where statistic = 'selection_rate'
    group by analysis_id
),

judged as (
    select
        analysis_id,
        'chi_square' as statistic,
        'chi_square_p' as metric,
        '' as group_value,
        cast(null as double) as value,
        cast(null as double) as attainable
    from associations
    where status = 'ok'
    union all
    select
        analysis_id,
        'cramers_v' as statistic,
        'cramers_v' as metric,
        '' as group_value,
        cramers_v as value,
        1.0 as attainable
    from associations
    union all
    select
        deviations.analysis_id,
        'max_' || deviations.metric || '_pooled' as statistic,
        case
            when deviations.metric = 'fdi' and analyses.n_attributes > 1 then 'max_idi'
            else 'max_' || deviations.metric
        end as metric,
        deviations.group_value,
        deviations.value,
        deviations.attainable_max as attainable
    from deviations
    inner join analyses on deviations.analysis_id = analyses.analysis_id
    union all
    select
        analysis_id,
        'max_abs_dbi' as statistic,
        'max_abs_dbi' as metric,
        group_value,
        value,
        attainable_max as attainable
    from shifts
    union all
    select
        tests.analysis_id,
        'min_impact_ratio' as statistic,
        'min_impact_ratio' as metric,
        selections.group_value,
        tests.value,
        0.0 as attainable
    from tests
    inner join selections on tests.analysis_id = selections.analysis_id
    where tests.statistic = 'min_impact_ratio'
)

select
    analyses.suite,
    analyses.domain,
    analyses.category,
    analyses.config_key,
    analyses.config,
    analyses.model,
    analyses.role,
    analyses.is_simulated,
    analyses.measure,
    analyses.axis,
    case when analyses.n_attributes > 1 then 'intersection' else 'single' end as axis_kind,
    judged.metric,
    judged.group_value,
    case when judged.metric = 'chi_square_p' then tests.p_value else judged.value end as value,
    case when judged.metric <> 'chi_square_p' then tests.ci_low end as ci_low,
    case when judged.metric <> 'chi_square_p' then tests.ci_high end as ci_high,
    case when judged.metric <> 'chi_square_p' then tests.null_p05 end as null_p05,
    case when judged.metric <> 'chi_square_p' then tests.null_median end as null_median,
    case when judged.metric <> 'chi_square_p' then tests.null_p95 end as null_p95,
    tests.p_value,
    tests.p_holm,
    tests.n_tests,
    case when judged.metric = 'chi_square_p' then tests.min_attainable_p else judged.attainable end as attainable,
    tests.min_attainable_p,
    tests.resampling_unit,
    tests.n_units,
    analyses.n,
    analyses.n_groups,
    analyses.n_smallest_group,
    analyses.minimum_group,
    analyses.is_control,
    analyses.hidden_attributes
from judged
inner join analyses on judged.analysis_id = analyses.analysis_id
left join tests
    on
        judged.analysis_id = tests.analysis_id
        and judged.statistic = tests.statistic
union all by name
select
    suite,
    domain,
    category,
    config_key,
    config,
    model,
    role,
    is_simulated,
    outcome_set as measure,
    'gender' as axis,
    'single' as axis_kind,
    'jsd_census_nats' as metric,
    sex as group_value,
    jsd_nats as value,
    ci_low,
    ci_high,
    resampling_unit,
    n_units,
    n,
    1 as n_groups,
    n as n_smallest_group,
    minimum_group,
    false as is_control,
    cast([] as varchar[]) as hidden_attributes,
    cast(0.69314718 as double) as attainable
from {{ ref('int_ground_truth_resampled') }}
