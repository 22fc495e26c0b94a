-- Grain: one row per suite, category, config, form, feature, axis, group_value. The tables of New York City's
-- Local Law 144 (6 RCNY 5-301), of a model's answers. No threshold: the law has none.
with counted as (
    select
        *,
        exclusion_reason is null as is_compared,
        {{ ratio('n_selected', 'n') }} as selection_rate
    from {{ ref('int_local_law_groups_counted') }}
),

best as (
    select
        analysis_key,
        count(*) as n_groups,
        max(selection_rate) as reference_rate,
        -- Ties: the first name.
        min_by(group_value, (-selection_rate, group_value)) as reference_group
    from counted
    where is_compared
    group by analysis_key
),

resampled as (
    select * from {{ ref('int_local_law_ratios_resampled') }}
)

select
    counted.suite,
    counted.domain,
    counted.category,
    counted.config,
    counted.model,
    counted.role,
    counted.is_simulated,
    counted.measure_kind as form,
    counted.feature,
    counted.axis,
    counted.axis_role,
    counted.group_value,
    counted.n,
    counted.n_selected,
    counted.n_missing,
    counted.n_unknown,
    counted.share_of_answers,
    counted.sample_median,
    counted.selection_rate,
    best.reference_group,
    case
        when counted.is_compared and best.n_groups > 1
            then {{ ratio('counted.selection_rate', 'best.reference_rate') }}
    end as impact_ratio,
    case
        when counted.n = 0 and counted.n_missing > 0 then 'all_missing'
        when counted.n = 0 then 'empty_group'
        when not counted.is_compared then 'too_few'
        when best.n_groups < 2 then 'single_group'
        when best.reference_rate = 0 then 'zero_max'
        else 'ok'
    end as status,
    counted.exclusion_reason,
    case when counted.group_value <> best.reference_group then by_group.ci_low end as impact_ratio_low,
    case when counted.group_value <> best.reference_group then by_group.ci_high end as impact_ratio_high,
    by_group.p_max,
    by_group.null_p05,
    by_group.null_median,
    smallest.value as min_impact_ratio,
    smallest.null_p05 as min_null_p05,
    smallest.null_median as min_null_median,
    smallest.p_value,
    smallest.resampling_unit,
    smallest.n_units,
    audited.audited_on,
    exposed.exposure,
    exposed.is_control,
    1 as metric_version
from counted
left join {{ ref('int_suites_dated') }} as audited using (suite)
inner join {{ ref('int_axes_shown') }} as exposed using (suite, category, config_key, axis)
left join best using (analysis_key)
left join resampled as by_group
    on
        counted.analysis_key = by_group.analysis_key
        and counted.group_value = by_group.group_value
        and by_group.statistic = 'impact_ratio'
left join resampled as smallest
    on
        counted.analysis_key = smallest.analysis_key
        and smallest.statistic = 'min_impact_ratio'
