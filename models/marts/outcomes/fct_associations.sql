-- Grain: one row per suite, category, config, axis, outcome_set.
with analyses as (
    select * from {{ ref('int_analyses_listed') }}
    where measure_kind = 'outcome'
),

chance_of_chi_square as (
    select * from {{ ref('int_analysis_tests_adjusted') }}
    where statistic = 'chi_square'
),

chance_of_v as (
    select * from {{ ref('int_analysis_tests_adjusted') }}
    where statistic = 'cramers_v'
),

missing as (
    select * from {{ ref('int_missing_answers_counted') }}
    where group_value = ''
)

select
    {{ analysis_columns() }},
    analyses.axis,
    analyses.measure as outcome_set,
    computed.chi_square,
    computed.dof,
    tested.p_value,
    computed.test,
    tested.p_value_chi_square,
    computed.chi_square_yates,
    tested.p_value_yates,
    chance_of_chi_square.p_value as p_permutation,
    chance_of_chi_square.p_holm,
    chance_of_chi_square.q_value,
    chance_of_chi_square.n_tests,
    computed.cramers_v,
    computed.cramers_v_corrected,
    chance_of_v.ci_low,
    chance_of_v.ci_high,
    chance_of_v.ci_status,
    chance_of_v.null_median,
    chance_of_v.null_p95,
    computed.expected_ge_5_rate,
    computed.min_expected,
    coalesce(computed.status, 'empty_group') as status,
    analyses.n_groups,
    analyses.n_groups_excluded,
    computed.n_outcomes,
    analyses.n,
    coalesce(missing.n_missing, 0) as n_missing,
    analyses.n_smallest_group,
    chance_of_v.resampling_unit,
    chance_of_v.n_units,
    chance_of_v.n_permutations,
    chance_of_v.min_attainable_p,
    analyses.exposure,
    analyses.is_control,
    1 as metric_version
from analyses
left join missing using (suite, category, config_key, measure, axis)
left join {{ ref('int_associations_computed') }} as computed using (analysis_key)
left join {{ ref('int_associations_tested') }} as tested using (analysis_key)
left join chance_of_chi_square using (analysis_key)
left join chance_of_v using (analysis_key)
