-- Grain: one row per suite, category, config, axis, feature, calibration, statistic, parameters, disparity.
with drawn as (
    select distinct
        analysis_key,
        statistic,
        parameters,
        true as is_drawn
    from {{ ref('int_disparities_tested') }}
    where ci_low is not null
)

select
    {{ analysis_columns() }},
    analyses.roll_up,
    analyses.pooled_categories,
    analyses.axis,
    analyses.feature,
    analyses.calibration,
    judged.statistic,
    judged.parameters,
    judged.disparity,
    judged.value,
    judged.status,
    judged.unit,
    tested.ci_low,
    tested.ci_high,
    tested.p_value,
    tested.p_holm,
    tested.q_value,
    tested.n_tests,
    tested.null_median,
    tested.null_p05,
    tested.null_p95,
    judged.attainable_max,
    case when judged.value is not null then bounds.bound_low end as bound_low,
    case when judged.value is not null then bounds.bound_high end as bound_high,
    case when judged.value is not null then bounds.n_missing end as n_missing,
    judged.critical_value,
    judged.critical_margin,
    tested.concentration,
    judged.group_low,
    judged.group_high,
    judged.n_groups,
    judged.n_groups_excluded,
    judged.n,
    tested.resampling_unit,
    tested.n_units,
    tested.permutation_scheme,
    {{ inference_status('judged.value', 'tested.analysis_key is not null', 'tested.p_value') }} as p_status,
    -- The disparities of a statistic are drawn together: where one has an interval, there were units enough.
    {{ inference_status(
        'judged.value', 'tested.analysis_key is not null', 'tested.ci_low', 'drawn.is_drawn'
    ) }} as ci_status,
    analyses.exposure,
    analyses.is_control,
    case when analyses.calibration = 'baseline' then baselines.baseline_kind end as baseline_kind,
    1 as metric_version
from {{ ref('int_disparities_judged') }} as judged
inner join {{ ref('int_feature_analyses_listed') }} as analyses using (analysis_key)
left join {{ ref('int_disparities_tested') }} as tested using (analysis_key, statistic, parameters, disparity)
left join drawn using (analysis_key, statistic, parameters)
left join {{ ref('int_disparities_bounded') }} as bounds
    using (analysis_key, statistic, parameters, disparity)
left join {{ ref('int_baselines_classified') }} as baselines using (suite, category)
