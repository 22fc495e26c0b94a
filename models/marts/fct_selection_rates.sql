-- Grain: one row per suite, category, config, axis, feature, calibration, standard, method, group_value.
-- Standard `favourable_outcome`: selected is a response whose outcome the suite calls favourable. The others:
-- a response whose measurement meets a criterion against a number (SPEC 9.1).
with analyses as (
    select * from {{ ref('int_analyses_listed') }}
    where kind = 'selection'
),

counted as (
    select
        analysis_id,
        group_value,
        count(*) as n,
        cast(sum(value) as bigint) as n_selected
    from {{ ref('int_responses_analysed') }}
    where kind = 'selection' and not is_excluded
    group by analysis_id, group_value
),

rates as (
    select
        *,
        {{ ratio('n_selected', 'n') }} as selection_rate
    from counted
),

referenced as (
    select
        *,
        first_value(group_value) over best as reference_group,
        first_value(n_selected) over best as n_selected_reference,
        first_value(n) over best as n_reference,
        first_value(selection_rate) over best as reference_rate,
        count(*) over (partition by analysis_id) as n_groups
    from rates
    window best as (
        partition by analysis_id
        order by selection_rate desc, group_value asc
    )
),

resampled as (
    select * from {{ ref('int_groups_resampled') }}
    where statistic = 'impact_ratio'
),

resampled_rates as (
    select * from {{ ref('int_groups_resampled') }}
    where statistic = 'selection_rate'
),

missing as (
    select * from {{ ref('int_axes_missing') }}
),

rated as (
    select * from {{ ref('int_selections_rated') }}
),

samples as (
    select * from {{ ref('int_samples_listed') }}
),

families_resampled as (
    select
        family_id,
        group_id,
        statistic_key,
        max(resampling_unit) as resampling_unit,
        max(n_units) as n_units,
        max(case when disparity = 'group_value' then ci_low end) as ci_low,
        max(case when disparity = 'group_value' then ci_high end) as ci_high,
        max(case when disparity = 'impact_ratio' then ci_low end) as ratio_low,
        max(case when disparity = 'impact_ratio' then ci_high end) as ratio_high
    from {{ ref('int_families_resampled') }}
    where statistic_key >= 1000 and group_id is not null
    group by family_id, group_id, statistic_key
),

standards as (
    select * from {{ ref('selection_standards') }}
),

methods as (
    select * from {{ ref('selection_methods') }}
),

-- The baseline's texts are not an answer of a config: they show an axis where the prompts of some config do.
exposed as (
    select
        suite,
        category,
        axis,
        min(exposure) as exposure,
        bool_and(is_control) as is_control
    from {{ ref('int_axes_exposed') }}
    group by suite, category, axis
),

four_fifths as (
    select red_limit
    from {{ ref('thresholds') }}
    where profile = 'four_fifths' and metric = 'min_impact_ratio'
),

selected as (
    select
        {{ analysis_columns() }},
        analyses.axis,
        analyses.measure as feature,
        'none' as calibration,
        'favourable_outcome' as standard,
        cast(null as double) as standard_value,
        'in_set' as method,
        referenced.group_value,
        referenced.n,
        referenced.n_selected,
        coalesce(missing.n_missing, 0) as n_missing,
        referenced.selection_rate,
        {{ wilson('referenced.n_selected', 'referenced.n', 'low') }} as wilson_low,
        {{ wilson('referenced.n_selected', 'referenced.n', 'high') }} as wilson_high,
        resampled_rates.ci_low,
        resampled_rates.ci_high,
        referenced.reference_group,
        case
            when referenced.n_groups > 1
                then {{ ratio('referenced.selection_rate', 'referenced.reference_rate') }}
        end as impact_ratio,
        case
            when referenced.n_groups < 2 then 'single_group'
            when referenced.reference_rate = 0 then 'zero_max'
            else 'ok'
        end as status,
        -- Katz's interval is for independent answers; where they come in blocks the bootstrap's stands
        -- (INF-5).
        case
            when referenced.n_groups < 2 or referenced.group_value = referenced.reference_group then null
            when resampled.resampling_unit <> 'response' or referenced.n_selected = 0 then resampled.ci_low
            else {{ katz(
                'referenced.n_selected', 'referenced.n',
                'referenced.n_selected_reference', 'referenced.n_reference', 'low'
            ) }}
        end as impact_ratio_low,
        case
            when referenced.n_groups < 2 or referenced.group_value = referenced.reference_group then null
            when resampled.resampling_unit <> 'response' or referenced.n_selected = 0 then resampled.ci_high
            else {{ katz(
                'referenced.n_selected', 'referenced.n',
                'referenced.n_selected_reference', 'referenced.n_reference', 'high'
            ) }}
        end as impact_ratio_high,
        case
            when referenced.n_groups > 1
                then
                    {{ ratio('referenced.selection_rate', 'referenced.reference_rate') }}
                    < four_fifths.red_limit
        end as is_below_four_fifths,
        -- Every missing answer of the group unselected, or every one selected; the reference stays as it is.
        case when referenced.n_groups > 1 then {{ ratio(
            ratio('referenced.n_selected', 'referenced.n + coalesce(missing.n_missing, 0)'), 'referenced.reference_rate'
        ) }} end as bound_low,
        case when referenced.n_groups > 1 then {{ ratio(
            ratio(
                'referenced.n_selected + coalesce(missing.n_missing, 0)', 'referenced.n + coalesce(missing.n_missing, 0)'
            ),
            'referenced.reference_rate'
        ) }} end as bound_high,
        resampled.p_max,
        resampled.null_p05,
        resampled.null_median,
        resampled_rates.resampling_unit,
        resampled_rates.n_units,
        analyses.exposure,
        analyses.is_control,
        1 as metric_version
    from referenced
    inner join analyses on referenced.analysis_id = analyses.analysis_id
    cross join four_fifths
    left join resampled
        on
            referenced.analysis_id = resampled.analysis_id
            and referenced.group_value = resampled.group_value
    left join resampled_rates
        on
            referenced.analysis_id = resampled_rates.analysis_id
            and referenced.group_value = resampled_rates.group_value
    left join missing
        on
            analyses.suite = missing.suite
            and analyses.category = missing.category
            and analyses.config_key = missing.config_key
            and analyses.measure = missing.measure
            and analyses.axis = missing.axis
            and referenced.group_value = missing.group_value
    union all
    select
        {{ analysis_columns('samples') }},
        samples.axis,
        samples.feature,
        samples.calibration,
        standards.standard,
        rated.standard_value,
        methods.method,
        samples.group_value,
        rated.n,
        rated.n_selected,
        rated.n_missing,
        rated.selection_rate,
        {{ wilson('rated.n_selected', 'rated.n', 'low') }} as wilson_low,
        {{ wilson('rated.n_selected', 'rated.n', 'high') }} as wilson_high,
        families_resampled.ci_low,
        families_resampled.ci_high,
        rated.reference_group,
        rated.impact_ratio,
        rated.status,
        -- Drawn for the default standard and method (see their seeds); Katz's is for independent answers.
        case
            when rated.impact_ratio is not null and samples.group_value <> rated.reference_group
                then families_resampled.ratio_low
        end as impact_ratio_low,
        case
            when rated.impact_ratio is not null and samples.group_value <> rated.reference_group
                then families_resampled.ratio_high
        end as impact_ratio_high,
        rated.impact_ratio < four_fifths.red_limit as is_below_four_fifths,
        case when rated.impact_ratio is not null then {{ ratio(
            ratio('rated.n_selected', 'rated.n + rated.n_missing'), 'rated.reference_rate'
        ) }} end as bound_low,
        case when rated.impact_ratio is not null then {{ ratio(
            ratio('rated.n_selected + rated.n_missing', 'rated.n + rated.n_missing'), 'rated.reference_rate'
        ) }} end as bound_high,
        cast(null as double) as p_max,
        cast(null as double) as null_p05,
        cast(null as double) as null_median,
        families_resampled.resampling_unit,
        families_resampled.n_units,
        exposed.exposure,
        exposed.is_control,
        1 as metric_version
    from rated
    inner join samples on rated.sample_id = samples.sample_id
    inner join standards on rated.standard_id = standards.standard_id
    inner join methods on rated.method_id = methods.method_id
    inner join exposed
        on
            samples.suite = exposed.suite
            and samples.category = exposed.category
            and samples.axis = exposed.axis
    left join families_resampled
        on
            samples.family_id = families_resampled.family_id
            and samples.group_id = families_resampled.group_id
            and 1000 + 10 * rated.standard_id + rated.method_id = families_resampled.statistic_key
    cross join four_fifths
)

select
    suite,
    domain,
    category,
    config,
    model,
    role,
    is_simulated,
    axis,
    feature,
    calibration,
    standard,
    standard_value,
    method,
    group_value,
    n,
    n_selected,
    n_missing,
    selection_rate,
    wilson_low,
    wilson_high,
    ci_low,
    ci_high,
    reference_group,
    impact_ratio,
    status,
    impact_ratio_low,
    impact_ratio_high,
    is_below_four_fifths,
    bound_low,
    bound_high,
    p_max,
    null_p05,
    null_median,
    resampling_unit,
    n_units,
    exposure,
    is_control,
    metric_version
from selected
