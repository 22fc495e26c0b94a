-- Grain: one row per comparison_slug, config, calibration, group_value ('' for all groups together).
-- The baseline minus itself is 0 by construction and is left out.
with comparisons as (
    select * from {{ ref('rpt_comparisons') }}
    where is_shown
),

families as (
    select * from {{ ref('fct_disparities') }}
    where
        statistic = 'mean'
        and disparity = 'range'
        and not is_control
        and roll_up = 'none'
        and not (config = 'baseline' and calibration = 'baseline')
),

shown as (
    select
        comparisons.comparison_slug,
        families.suite,
        families.category,
        families.config,
        families.model,
        families.role,
        families.is_simulated,
        families.axis,
        families.feature,
        families.calibration,
        families.resampling_unit,
        families.n_units
    from families
    inner join comparisons using (suite, category, feature, axis)
),

placed as (
    select
        shown.comparison_slug,
        shown.config,
        shown.calibration,
        {{ unnested(list_of("prompt_groups.group_value, ''")) }} as group_value,
        case shown.calibration
            when 'none' then measurements.value
            else measurements.calibrated_value
        end as value
    from shown
    inner join {{ ref('fct_measurements') }} as measurements using (suite, category, config, feature)
    inner join {{ ref('rpt_groups') }} as prompt_groups using (prompt_key, axis)
),

spread as (
    select
        comparison_slug,
        config,
        calibration,
        group_value,
        count(value) as n,
        count(*) - count(value) as n_missing,
        avg(value) as mean,
        stddev_samp(value) as standard_deviation,
        min(value) as smallest,
        max(value) as largest,
        {{ quantiles('value', [0.05, 0.25, 0.5, 0.75, 0.95]) }} as quantiles
    from placed
    group by comparison_slug, config, calibration, group_value
),

means as (
    select * from {{ ref('fct_summary_statistics') }}
    where statistic = 'mean'
),

rates as (
    select rates.*
    from {{ ref('fct_selection_rates') }} as rates
    inner join {{ ref('selection_standards') }} as standards using (standard)
    inner join {{ ref('selection_methods') }} as methods using (method)
    where standards.is_default and methods.is_default
),

of_groups as (
    select
        shown.*,
        means.group_value,
        means.value as mean,
        means.ci_low as mean_low,
        means.ci_high as mean_high,
        means.status,
        means.n,
        means.n_missing,
        rates.selection_rate,
        rates.ci_low as rate_low,
        rates.ci_high as rate_high,
        rates.impact_ratio
    from shown
    inner join means using (suite, category, config, axis, feature, calibration)
    left join rates using (suite, category, config, axis, feature, calibration, group_value)
),

of_all as (
    select
        shown.*,
        spread.group_value,
        spread.mean,
        case when spread.n > 0 then 'ok' else 'all_missing' end as status,
        spread.n,
        spread.n_missing
    from shown
    inner join spread using (comparison_slug, config, calibration)
    where spread.group_value = ''
),

listed as (
    {{ union_by_name(['of_groups', 'of_all']) }}
)

select
    listed.comparison_slug,
    listed.config,
    listed.model,
    listed.role,
    listed.is_simulated,
    listed.config = 'baseline' as is_baseline,
    listed.calibration,
    listed.group_value,
    listed.n,
    listed.n_missing,
    listed.mean,
    listed.mean_low,
    listed.mean_high,
    spread.standard_deviation,
    spread.smallest,
    {{ item_at('spread.quantiles', 1) }} as p05,
    {{ item_at('spread.quantiles', 2) }} as p25,
    {{ item_at('spread.quantiles', 3) }} as median,
    {{ item_at('spread.quantiles', 4) }} as p75,
    {{ item_at('spread.quantiles', 5) }} as p95,
    spread.largest,
    listed.selection_rate,
    listed.rate_low,
    listed.rate_high,
    listed.impact_ratio,
    {{ status_in_words('listed.status') }} as note,
    listed.resampling_unit,
    listed.n_units
from listed
left join spread using (comparison_slug, config, calibration, group_value)
