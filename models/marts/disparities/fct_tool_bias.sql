-- Grain: one row per suite, category, config, axis, feature, statistic, parameters, disparity.
with disparities as (
    select * from {{ ref('fct_disparities') }}
),

answers as (
    select * from disparities
    where config <> 'baseline' and calibration = 'none'
),

calibrated as (
    select * from disparities
    where config <> 'baseline' and calibration = 'baseline'
),

tools as (
    select * from disparities
    where config = 'baseline' and calibration = 'none'
)

select
    {{ analysis_columns() }},
    analyses.axis,
    analyses.feature,
    analyses.statistic,
    analyses.parameters,
    analyses.disparity,
    analyses.unit,
    analyses.value as raw_value,
    analyses.ci_low as raw_low,
    analyses.ci_high as raw_high,
    analyses.p_value as raw_p_value,
    analyses.group_low as raw_group_low,
    analyses.group_high as raw_group_high,
    tools.value as tool_value,
    tools.ci_low as tool_low,
    tools.ci_high as tool_high,
    tools.p_value as tool_p_value,
    tools.null_p05 as tool_null_p05,
    tools.null_p95 as tool_null_p95,
    tools.group_low as tool_group_low,
    tools.group_high as tool_group_high,
    calibrated.value as calibrated_value,
    calibrated.ci_low as calibrated_low,
    calibrated.ci_high as calibrated_high,
    calibrated.p_value as calibrated_p_value,
    {{ ratio('analyses.value - calibrated.value', 'analyses.value - declared.none_at') }} as explained_share,
    case
        when declared.none_at is null then 'not_applicable'
        when analyses.value is null then analyses.status
        when calibrated.value is null then coalesce(calibrated.status, 'not_applicable')
        when analyses.value = declared.none_at then 'zero_denominator'
        else 'ok'
    end as explained_status,
    calibrated.baseline_kind,
    analyses.n_groups,
    analyses.n,
    tools.n as n_baselines,
    analyses.exposure,
    analyses.is_control,
    1 as metric_version
from answers as analyses
left join calibrated using (suite, category, config, axis, feature, statistic, parameters, disparity)
inner join tools using (suite, category, axis, feature, statistic, parameters, disparity)
inner join {{ ref('disparities') }} as declared using (disparity)
