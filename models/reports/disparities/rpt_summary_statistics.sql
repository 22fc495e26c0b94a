-- Grain: one row per comparison_slug, config, calibration, statistic, parameters: its ends over groups.
-- Of the selection rates, the one against the default standard; fct_disparities holds the others.
with comparisons as (
    select * from {{ ref('rpt_comparisons') }}
    where is_shown
),

ends as (
    select * from {{ ref('fct_disparities') }}
    where
        disparity in ('min', 'average', 'max')
        and not is_control
        and roll_up = 'none'
        and not (config = 'baseline' and calibration = 'baseline')
),

titles as (
    select
        statistic_id as statistic_position,
        statistic,
        coalesce(parameters, '') as parameters,
        title || coalesce(' (' || replace(replace(parameters, '=', ' '), ';', ', ') || ')', '') as title
    from {{ ref('statistics') }}
    union all
    select
        0 as statistic_position,
        'selection_rate' as statistic,
        {{ criterion('standards.standard', 'methods.method') }} as parameters,
        'Selection rate: ' || lower(methods.title) || ', the ' || lower(standards.title) as title
    from {{ ref('selection_standards') }} as standards
    cross join {{ ref('selection_methods') }} as methods
    where standards.is_default and methods.is_default
),

summed as (
    select
        comparisons.comparison_slug,
        ends.config,
        ends.model,
        ends.role,
        ends.is_simulated,
        ends.calibration,
        ends.statistic,
        ends.parameters,
        any_value(ends.unit) as unit,
        max(case when ends.disparity = 'min' then ends.value end) as smallest,
        max(case when ends.disparity = 'average' then ends.value end) as average,
        max(case when ends.disparity = 'max' then ends.value end) as largest,
        any_value(ends.group_low) as group_low,
        any_value(ends.group_high) as group_high,
        any_value(ends.status) filter (where ends.disparity = 'average') as status,
        any_value(ends.n_groups) as n_groups,
        any_value(ends.n_groups_excluded) as n_groups_excluded,
        any_value(ends.n) as n
    from ends
    inner join comparisons using (suite, category, feature, axis)
    group by
        comparisons.comparison_slug,
        ends.config,
        ends.model,
        ends.role,
        ends.is_simulated,
        ends.calibration,
        ends.statistic,
        ends.parameters
)

select
    summed.comparison_slug,
    summed.config,
    summed.model,
    summed.role,
    summed.is_simulated,
    summed.config = 'baseline' as is_baseline,
    summed.calibration,
    titles.statistic_position,
    summed.statistic,
    summed.parameters,
    titles.title,
    summed.unit,
    summed.smallest,
    summed.average,
    summed.largest,
    {{ groups_in_words('summed.group_low') }} as group_low,
    {{ groups_in_words('summed.group_high') }} as group_high,
    summed.n_groups,
    summed.n_groups_excluded,
    summed.n,
    {{ status_in_words('summed.status') }} as note
from summed
inner join titles using (statistic, parameters)
