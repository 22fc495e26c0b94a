-- Grain: one row per suite, category, config, axis, feature, disparity, statistic: what SAGED's table of
-- disparities shows, answers beside baselines. fct_tool_bias holds the others.
with biases as (
    select * from {{ ref('fct_tool_bias') }}
    where not is_control
),

rates as (
    {{ default_criterion() }}
),

categories as (
    {{ category_titles() }}
)

select
    biases.suite,
    biases.category,
    coalesce(categories.title, '') as category_title,
    coalesce(categories.category_position, 0) as category_position,
    biases.config,
    biases.model,
    biases.role,
    biases.is_simulated,
    biases.axis,
    biases.feature,
    biases.statistic,
    biases.disparity,
    declared.disparity_id as disparity_position,
    declared.title,
    biases.unit,
    biases.raw_value,
    biases.raw_low,
    biases.raw_high,
    biases.raw_p_value,
    {{ groups_in_words('biases.raw_group_low') }} as raw_group_low,
    {{ groups_in_words('biases.raw_group_high') }} as raw_group_high,
    biases.tool_value,
    biases.tool_low,
    biases.tool_high,
    biases.tool_p_value,
    biases.tool_null_p05,
    biases.tool_null_p95,
    {{ groups_in_words('biases.tool_group_low') }} as tool_group_low,
    {{ groups_in_words('biases.tool_group_high') }} as tool_group_high,
    biases.calibrated_value,
    biases.calibrated_low,
    biases.calibrated_high,
    biases.calibrated_p_value,
    biases.explained_share,
    {{ status_in_words('biases.explained_status') }} as explained_note,
    biases.baseline_kind,
    biases.n_groups,
    biases.n,
    biases.n_baselines
from biases
inner join {{ ref('disparities') }} as declared using (disparity)
left join rates on biases.parameters = rates.parameters
left join categories using (suite, category)
where
    (biases.statistic = 'mean' and biases.disparity in ('range', 'standard_deviation', 'max_z'))
    or (rates.parameters is not null and biases.disparity in ('range', 'min_impact_ratio'))
