-- Grain: one row per suite, category, config, axis, feature, calibration, standard, method, group_value.
-- Standard `favourable_outcome`: selected is a response whose outcome the suite calls favourable. The others:
-- a response whose measurement meets a criterion against a number (SPEC 9.1).
with analyses as (
    select * from {{ ref('int_analyses_listed') }}
    where kind = 'selection'
),

groups as (
    select * from {{ ref('int_groups_listed') }}
),

of_answers as (
    select
        analysis_id,
        group_value,
        is_excluded,
        count(*) as n,
        cast(sum(value) as bigint) as n_selected
    from {{ ref('int_responses_analysed') }}
    where kind = 'selection'
    group by analysis_id, group_value, is_excluded
),

-- Declared groups without an answer that could be read are listed too (SPEC 19).
counted as (
    select
        *,
        {{ ratio('n_selected', 'n') }} as selection_rate
    from of_answers
    union all
    select
        analyses.analysis_id,
        groups.group_value,
        true as is_excluded,
        0 as n,
        0 as n_selected,
        null as selection_rate
    from analyses
    inner join groups
        on
            analyses.suite = groups.suite
            and analyses.category = groups.category
            and analyses.config_key = groups.config_key
            and analyses.axis = groups.axis
    anti join of_answers
        on
            analyses.analysis_id = of_answers.analysis_id
            and groups.group_value = of_answers.group_value
),

best as (
    select
        analysis_id,
        count(*) as n_groups,
        max(selection_rate) as reference_rate,
        -- Ties: the first name.
        min_by(group_value, (-selection_rate, group_value)) as reference_group,
        min_by(n, (-selection_rate, group_value)) as n_reference,
        min_by(n_selected, (-selection_rate, group_value)) as n_selected_reference
    from counted
    where not is_excluded
    group by analysis_id
),

chosen_references as (
    select * from {{ ref('int_reference_groups_listed') }}
),

chosen as (
    select
        counted.analysis_id,
        counted.group_value as chosen_group,
        counted.selection_rate as chosen_rate,
        counted.n as n_chosen,
        counted.n_selected as n_selected_chosen
    from counted
    inner join analyses on counted.analysis_id = analyses.analysis_id
    inner join chosen_references
        on
            analyses.suite = chosen_references.suite
            and analyses.axis = chosen_references.axis
            and (
                chosen_references.reference_kind = 'most_populous'
                or counted.group_value = chosen_references.group_value
            )
    where not counted.is_excluded
    qualify
        row_number() over (
            partition by counted.analysis_id order by counted.n desc, counted.group_value asc
        ) = 1
),

referenced as (
    select
        counted.*,
        coalesce(best.n_groups, 0) as n_groups,
        best.reference_rate,
        best.reference_group,
        best.n_reference,
        best.n_selected_reference,
        chosen.chosen_group,
        chosen.n_chosen,
        chosen.n_selected_chosen,
        not counted.is_excluded and best.n_groups > 1 as has_ratio,
        case
            when not counted.is_excluded and best.n_groups > 1
                then {{ ratio('counted.selection_rate', 'chosen.chosen_rate') }}
        end as chosen_ratio
    from counted
    left join best on counted.analysis_id = best.analysis_id
    left join chosen on counted.analysis_id = chosen.analysis_id
),

resampled as (
    select * from {{ ref('int_analyses_resampled') }}
    where statistic = 'impact_ratio'
),

resampled_chosen as (
    select * from {{ ref('int_analyses_resampled') }}
    where statistic = 'chosen_ratio'
),

resampled_rates as (
    select * from {{ ref('int_analyses_resampled') }}
    where statistic = 'selection_rate'
),

missing as (
    select * from {{ ref('int_missing_answers_counted') }}
),

rated as (
    select * from {{ ref('int_selections_rated') }}
),

samples as (
    select * from {{ ref('int_group_features_listed') }}
),

families_resampled as (
    select
        family_id,
        group_id,
        statistic_key,
        max(case when disparity = 'group_value' then ci_low end) as ci_low,
        max(case when disparity = 'group_value' then ci_high end) as ci_high,
        max(case when disparity = 'impact_ratio' then ci_low end) as ratio_low,
        max(case when disparity = 'impact_ratio' then ci_high end) as ratio_high,
        max(case when disparity = 'impact_ratio' then p_value end) as p_max,
        max(case when disparity = 'impact_ratio' then null_p05 end) as null_p05,
        max(case when disparity = 'impact_ratio' then null_median end) as null_median,
        max(case when disparity = 'chosen_ratio' then ci_low end) as chosen_low,
        max(case when disparity = 'chosen_ratio' then ci_high end) as chosen_high
    from {{ ref('int_feature_analyses_resampled') }}
    where statistic_key >= 1000 and group_id is not null
    group by family_id, group_id, statistic_key
),

family_units as (
    select
        family_id,
        max(resampling_unit) as resampling_unit,
        max(n_units) as n_units
    from {{ ref('int_feature_analyses_resampled') }}
    where statistic_key >= 1000
    group by family_id
),

asked as (
    select * from {{ ref('int_resampling_requested') }}
),

baselines as (
    select * from {{ ref('int_baselines_classified') }}
),

standards as (
    select * from {{ ref('selection_standards') }}
),

methods as (
    select * from {{ ref('selection_methods') }}
),

exposed as (
    select
        suite,
        category,
        axis,
        min(exposure) as exposure,
        bool_and(is_control) as is_control
    from {{ ref('int_axes_shown_pooled') }}
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
        'none' as roll_up,
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
        {{ inference_status('referenced.selection_rate', 'true', 'resampled_rates.ci_low') }} as ci_status,
        referenced.reference_group,
        case
            when referenced.has_ratio
                then {{ ratio('referenced.selection_rate', 'referenced.reference_rate') }}
        end as impact_ratio,
        case
            when referenced.n = 0 and coalesce(missing.n_missing, 0) = 0 then 'empty_group'
            when referenced.n = 0 then 'all_missing'
            when referenced.is_excluded then 'too_few'
            when referenced.n_groups < 2 then 'single_group'
            when referenced.reference_rate = 0 then 'zero_max'
            else 'ok'
        end as status,
        -- Katz's interval is for independent answers; where they come in blocks the bootstrap's stands
        -- (INF-5).
        case
            when not referenced.has_ratio or referenced.group_value = referenced.reference_group then null
            when coalesce(resampled.resampling_unit, '') <> 'response' or referenced.n_selected = 0
                then resampled.ci_low
            else {{ katz(
                'referenced.n_selected', 'referenced.n',
                'referenced.n_selected_reference', 'referenced.n_reference', 'low'
            ) }}
        end as impact_ratio_low,
        case
            when not referenced.has_ratio or referenced.group_value = referenced.reference_group then null
            when coalesce(resampled.resampling_unit, '') <> 'response' or referenced.n_selected = 0
                then resampled.ci_high
            else {{ katz(
                'referenced.n_selected', 'referenced.n',
                'referenced.n_selected_reference', 'referenced.n_reference', 'high'
            ) }}
        end as impact_ratio_high,
        case
            when referenced.has_ratio
                then
                    {{ ratio('referenced.selection_rate', 'referenced.reference_rate') }}
                    < four_fifths.red_limit
        end as is_below_four_fifths,
        case
            when
                referenced.has_ratio
                and referenced.group_value <> referenced.reference_group
                and resampled.resampling_unit = 'response'
                then {{ pooled_z(
                    'referenced.n_selected', 'referenced.n',
                    'referenced.n_selected_reference', 'referenced.n_reference'
                ) }}
        end as impact_ratio_z,
        -- Every missing answer of the group unselected, or every one selected; the reference stays as it is.
        case when referenced.has_ratio then {{ ratio(
            ratio('referenced.n_selected', 'referenced.n + coalesce(missing.n_missing, 0)'), 'referenced.reference_rate'
        ) }} end as bound_low,
        case when referenced.has_ratio then {{ ratio(
            ratio(
                'referenced.n_selected + coalesce(missing.n_missing, 0)', 'referenced.n + coalesce(missing.n_missing, 0)'
            ),
            'referenced.reference_rate'
        ) }} end as bound_high,
        referenced.chosen_group as chosen_reference_group,
        referenced.chosen_ratio as chosen_impact_ratio,
        case
            when referenced.chosen_ratio is null or referenced.group_value = referenced.chosen_group then null
            when coalesce(resampled_chosen.resampling_unit, '') <> 'response' or referenced.n_selected = 0
                then resampled_chosen.ci_low
            else {{ katz(
                'referenced.n_selected', 'referenced.n',
                'referenced.n_selected_chosen', 'referenced.n_chosen', 'low'
            ) }}
        end as chosen_impact_ratio_low,
        case
            when referenced.chosen_ratio is null or referenced.group_value = referenced.chosen_group then null
            when coalesce(resampled_chosen.resampling_unit, '') <> 'response' or referenced.n_selected = 0
                then resampled_chosen.ci_high
            else {{ katz(
                'referenced.n_selected', 'referenced.n',
                'referenced.n_selected_chosen', 'referenced.n_chosen', 'high'
            ) }}
        end as chosen_impact_ratio_high,
        resampled.p_max,
        resampled.null_p05,
        resampled.null_median,
        resampled_rates.resampling_unit,
        resampled_rates.n_units,
        analyses.exposure,
        analyses.is_control,
        cast(null as varchar) as baseline_kind,
        1 as metric_version
    from referenced
    inner join analyses on referenced.analysis_id = analyses.analysis_id
    cross join four_fifths
    left join resampled
        on
            referenced.analysis_id = resampled.analysis_id
            and referenced.group_value = resampled.group_value
    left join resampled_chosen
        on
            referenced.analysis_id = resampled_chosen.analysis_id
            and referenced.group_value = resampled_chosen.group_value
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
        samples.roll_up,
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
        {{ inference_status('rated.selection_rate', 'asked.suite is not null', 'families_resampled.ci_low') }}
            as ci_status,
        rated.reference_group,
        rated.impact_ratio,
        rated.status,
        -- Katz's interval is for independent answers; where they come in blocks the bootstrap's stands
        -- (INF-5), if it was drawn.
        case
            when rated.impact_ratio is null or samples.group_value = rated.reference_group then null
            when coalesce(family_units.resampling_unit, '') <> 'response' or rated.n_selected = 0
                then families_resampled.ratio_low
            else {{ katz(
                'rated.n_selected', 'rated.n', 'rated.n_selected_reference', 'rated.n_reference', 'low'
            ) }}
        end as impact_ratio_low,
        case
            when rated.impact_ratio is null or samples.group_value = rated.reference_group then null
            when coalesce(family_units.resampling_unit, '') <> 'response' or rated.n_selected = 0
                then families_resampled.ratio_high
            else {{ katz(
                'rated.n_selected', 'rated.n', 'rated.n_selected_reference', 'rated.n_reference', 'high'
            ) }}
        end as impact_ratio_high,
        rated.impact_ratio < four_fifths.red_limit as is_below_four_fifths,
        case
            when
                rated.impact_ratio is not null
                and samples.group_value <> rated.reference_group
                and family_units.resampling_unit = 'response'
                then {{ pooled_z(
                    'rated.n_selected', 'rated.n', 'rated.n_selected_reference', 'rated.n_reference'
                ) }}
        end as impact_ratio_z,
        case when rated.impact_ratio is not null then {{ ratio(
            ratio('rated.n_selected', 'rated.n + rated.n_missing'), 'rated.reference_rate'
        ) }} end as bound_low,
        case when rated.impact_ratio is not null then {{ ratio(
            ratio('rated.n_selected + rated.n_missing', 'rated.n + rated.n_missing'), 'rated.reference_rate'
        ) }} end as bound_high,
        rated.chosen_group as chosen_reference_group,
        rated.chosen_ratio as chosen_impact_ratio,
        case
            when rated.chosen_ratio is null or samples.group_value = rated.chosen_group then null
            when coalesce(family_units.resampling_unit, '') <> 'response' or rated.n_selected = 0
                then families_resampled.chosen_low
            else {{ katz(
                'rated.n_selected', 'rated.n', 'rated.n_selected_chosen', 'rated.n_chosen', 'low'
            ) }}
        end as chosen_impact_ratio_low,
        case
            when rated.chosen_ratio is null or samples.group_value = rated.chosen_group then null
            when coalesce(family_units.resampling_unit, '') <> 'response' or rated.n_selected = 0
                then families_resampled.chosen_high
            else {{ katz(
                'rated.n_selected', 'rated.n', 'rated.n_selected_chosen', 'rated.n_chosen', 'high'
            ) }}
        end as chosen_impact_ratio_high,
        families_resampled.p_max,
        families_resampled.null_p05,
        families_resampled.null_median,
        family_units.resampling_unit,
        family_units.n_units,
        exposed.exposure,
        exposed.is_control,
        case when samples.calibration = 'baseline' then baselines.baseline_kind end as baseline_kind,
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
    left join baselines
        on
            samples.suite = baselines.suite
            and samples.category = baselines.category
    left join family_units on samples.family_id = family_units.family_id
    left join asked
        on
            samples.suite = asked.suite
            and 1000 + 10 * rated.standard_id + rated.method_id = asked.statistic_key
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
    roll_up,
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
    ci_status,
    reference_group,
    impact_ratio,
    status,
    impact_ratio_low,
    impact_ratio_high,
    is_below_four_fifths,
    impact_ratio_z,
    bound_low,
    bound_high,
    chosen_reference_group,
    chosen_impact_ratio,
    chosen_impact_ratio_low,
    chosen_impact_ratio_high,
    p_max,
    null_p05,
    null_median,
    resampling_unit,
    n_units,
    exposure,
    is_control,
    baseline_kind,
    metric_version
from selected
