-- Grain: one row per suite, category, config, axis, feature, test.
with analyses as (
    select * from {{ ref('int_analyses_listed') }}
    where measure_kind = 'score'
),

-- Two groups are compared by t tests, three or more by an ANOVA; one group by nothing.
applicable as (
    select
        analyses.analysis_key,
        tests.test,
        tests.statistic
    from analyses
    inner join (
        values ('welch_t', 'welch_t', 0, 2), ('pooled_t', 'pooled_t', 0, 2), ('anova', 'anova_f', 3, 100000)
    ) as tests (test, statistic, min_groups, max_groups)
        on analyses.n_groups between tests.min_groups and tests.max_groups
),

missing as (
    select * from {{ ref('int_missing_answers_counted') }}
    where group_value = ''
)

select
    {{ analysis_columns() }},
    analyses.axis,
    analyses.measure as feature,
    applicable.test,
    computed.value,
    case
        when computed.value is not null then 'ok'
        when analyses.n_groups < 2 then 'single_group'
        when computed.analysis_key is null then 'too_few'
        else 'zero_variance'
    end as status,
    computed.dof,
    computed.dof_within,
    evaluated.p_value,
    chance.p_value as p_permutation,
    chance.p_holm,
    chance.q_value,
    chance.n_tests,
    computed.effect,
    computed.effect_value,
    computed.unbiased_effect,
    computed.unbiased_effect_value,
    computed.group_a,
    computed.group_b,
    analyses.n_groups,
    analyses.n,
    coalesce(missing.n_missing, 0) as n_missing,
    analyses.n_smallest_group,
    chance.resampling_unit,
    chance.n_units,
    chance.n_permutations,
    chance.min_attainable_p,
    analyses.exposure,
    analyses.is_control,
    1 as metric_version
from analyses
left join missing using (suite, category, config_key, measure, axis)
inner join applicable using (analysis_key)
left join {{ ref('int_score_tests_computed') }} as computed using (analysis_key, test)
left join {{ ref('int_score_tests_evaluated') }} as evaluated using (analysis_key, test)
left join {{ ref('int_analysis_tests_adjusted') }} as chance using (analysis_key, statistic)
