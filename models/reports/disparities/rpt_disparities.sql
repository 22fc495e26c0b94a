-- Grain: one row per comparison_slug, config, calibration, statistic, disparity: those that SAGED's dashboard
-- shows, of means and of selection rates against the default standard. fct_disparities holds the others.
with comparisons as (
    select * from {{ ref('rpt_comparisons') }}
    where is_shown
),

disparities as (
    select * from {{ ref('fct_disparities') }}
    where
        not is_control
        and not (config = 'baseline' and calibration = 'baseline')
        and roll_up = 'none'
),

rates as (
    {{ default_criterion() }}
)

select
    comparisons.comparison_slug,
    disparities.config,
    disparities.model,
    disparities.role,
    disparities.is_simulated,
    disparities.config = 'baseline' as is_baseline,
    disparities.calibration,
    disparities.statistic,
    disparities.disparity,
    declared.disparity_id as disparity_position,
    declared.title || case
        when declared.applies_to = 'rates' then ''
        when disparities.statistic = 'mean' then ' of means'
        else ' of selection rates'
    end as title,
    declared.explanation,
    declared.better,
    disparities.unit,
    disparities.value,
    {{ status_in_words('disparities.status') }} as note,
    disparities.ci_low,
    disparities.ci_high,
    disparities.p_value,
    disparities.p_holm,
    disparities.n_tests,
    disparities.null_p05,
    disparities.null_median,
    disparities.null_p95,
    disparities.attainable_max,
    disparities.critical_value,
    disparities.concentration,
    {{ groups_in_words('disparities.group_low') }} as group_low,
    {{ groups_in_words('disparities.group_high') }} as group_high,
    disparities.n_groups,
    disparities.n_groups_excluded,
    disparities.n,
    disparities.resampling_unit,
    disparities.n_units
from disparities
inner join comparisons using (suite, category, feature, axis)
inner join {{ ref('disparities') }} as declared using (disparity)
left join rates on disparities.parameters = rates.parameters
where
    declared.report = 'rpt_disparities'
    and (
        (disparities.statistic = 'mean' and declared.applies_to = 'all')
        or (rates.parameters is not null and (declared.applies_to = 'rates' or declared.disparity = 'range'))
    )
