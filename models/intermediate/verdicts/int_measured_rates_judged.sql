-- Grain: one row per suite, category, config_key, measure, axis, metric: the smallest impact ratio of values
-- that meet the default criterion, where a suite has it resampled.
with criterion as (
    select
        suite,
        parameters
    from {{ ref('int_resampling_requested') }}
    where is_default_criterion
),

rated as (
    select
        analysis_key,
        {{ criterion('standard', 'method') }} as parameters,
        min(n) as n_smallest_group,
        min_by(group_value, (selection_rate, group_value)) as group_value
    from {{ ref('int_selections_rated') }}
    where is_compared
    group by analysis_key, standard, method
),

designs as (
    select
        analysis_key,
        parameters,
        max(min_attainable_p) as min_attainable_p
    from {{ ref('int_feature_analyses_resampled') }}
    where statistic = 'selection_rate' and group_value = ''
    group by analysis_key, parameters
),

-- Far from its baseline, or of one topic rather than another: neither is favourable.
without_direction as (
    select
        suite,
        feature
    from {{ ref('stg_suite__distances') }}
    union
    select
        suite,
        feature
    from {{ ref('int_topic_features_listed') }}
)

select
    {{ analysis_columns() }},
    analyses.config_key,
    analyses.feature as measure,
    analyses.axis,
    {{ axis_kind('shown.n_attributes') }} as axis_kind,
    'min_impact_ratio_'
    || case analyses.calibration when 'none' then 'measured' else 'calibrated' end as metric,
    coalesce(rated.group_value, '') as group_value,
    judged.value,
    tested.ci_low,
    tested.ci_high,
    -- The interval's ends hold as one-sided bounds, too. One without width comes of values that never vary.
    case when tested.ci_low < tested.ci_high then tested.ci_low end as bound_low,
    case when tested.ci_low < tested.ci_high then tested.ci_high end as bound_high,
    tested.null_p05,
    tested.null_median,
    tested.null_p95,
    tested.p_value,
    tested.p_holm,
    tested.n_tests,
    0.0 as attainable,
    designs.min_attainable_p,
    tested.resampling_unit,
    tested.n_units,
    tested.permutation_scheme,
    judged.n,
    judged.n_groups,
    coalesce(rated.n_smallest_group, 0) as n_smallest_group,
    suites.minimum_group,
    analyses.is_control,
    shown.hidden_attributes,
    judged.analysis_key,
    'selection_rate' as statistic,
    judged.parameters
from {{ ref('int_disparities_judged') }} as judged
inner join {{ ref('int_feature_analyses_listed') }} as analyses using (analysis_key)
inner join criterion using (suite, parameters)
inner join {{ ref('stg_suite__suites') }} as suites using (suite)
-- Neither the baseline's own nor what is pooled.
inner join {{ ref('int_axes_shown') }} as shown using (suite, category, config_key, axis)
left join rated using (analysis_key, parameters)
left join {{ ref('int_disparities_tested') }} as tested using (analysis_key, parameters, disparity)
left join designs using (analysis_key, parameters)
left join {{ ref('int_baselines_classified') }} as baselines using (suite, category)
anti join without_direction using (suite, feature)
where
    judged.disparity = 'min_impact_ratio'
    -- A baseline branched with its prompt takes off what the scorer makes of the group's name: what is
    -- left is the model's.
    and (analyses.calibration <> 'none' or coalesce(baselines.baseline_kind, '') <> 'counterfactual')
