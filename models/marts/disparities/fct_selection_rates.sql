-- Grain: one row per suite, category, config, axis, feature, calibration, standard, method, group_value.
-- Standard `favourable_outcome`: selected is a response whose outcome the suite calls favourable. The others:
-- a response whose measurement meets a criterion against a number (SPEC 9.1).
with rated as (
    select
        *,
        {{ criterion('standard', 'method') }} as parameters
    from {{ ref('int_selections_rated') }}
),

drawn as (
    select
        analysis_key,
        {{ criterion("'favourable_outcome'", "'in_set'") }} as parameters,
        group_value,
        case statistic when 'selection_rate' then 'group_value' else statistic end as drawn_of,
        ci_low,
        ci_high,
        p_max,
        null_p05,
        null_median,
        resampling_unit,
        n_units
    from {{ ref('int_analyses_resampled') }}
    where statistic in ('selection_rate', 'impact_ratio', 'chosen_ratio')
    union all
    select
        analysis_key,
        parameters,
        group_value,
        disparity as drawn_of,
        ci_low,
        ci_high,
        p_value as p_max,
        null_p05,
        null_median,
        resampling_unit,
        n_units
    from {{ ref('int_feature_analyses_resampled') }}
    where statistic = 'selection_rate' and group_value <> ''
),

resampled as (
    select
        analysis_key,
        parameters,
        group_value,
        max(case when drawn_of = 'group_value' then ci_low end) as ci_low,
        max(case when drawn_of = 'group_value' then ci_high end) as ci_high,
        max(case when drawn_of = 'impact_ratio' then ci_low end) as ratio_low,
        max(case when drawn_of = 'impact_ratio' then ci_high end) as ratio_high,
        max(case when drawn_of = 'impact_ratio' then p_max end) as p_max,
        max(case when drawn_of = 'impact_ratio' then null_p05 end) as null_p05,
        max(case when drawn_of = 'impact_ratio' then null_median end) as null_median,
        max(case when drawn_of = 'chosen_ratio' then ci_low end) as chosen_low,
        max(case when drawn_of = 'chosen_ratio' then ci_high end) as chosen_high,
        max(resampling_unit) as resampling_unit,
        max(n_units) as n_units
    from drawn
    group by analysis_key, parameters, group_value
),

-- All groups are drawn at once: where one has an interval, a group with units of its own had enough.
enough as (
    select distinct
        analysis_key,
        parameters,
        true as is_enough
    from resampled
    where ci_low is not null
),

-- Of measured values, a group that is not compared is named with what the others were drawn from.
units as (
    select
        analysis_key,
        max(resampling_unit) as resampling_unit,
        max(n_units) as n_units
    from {{ ref('int_feature_analyses_resampled') }}
    where statistic = 'selection_rate'
    group by analysis_key
),

asked as (
    select * from {{ ref('int_resampling_requested') }}
    where statistic = 'selection_rate'
),

four_fifths as (
    select red_limit
    from {{ ref('thresholds') }}
    where profile = 'four_fifths' and metric = 'min_impact_ratio'
),

-- The rates that missing answers allow: none of a group's selected, or all; with them, a group of which too
-- few were read would be compared. What the others' best could be is what a group's smallest ratio is held
-- against, and their worst what its largest is.
filled as (
    select
        *,
        case
            when is_compared or is_silent then {{ ratio('n_selected', 'n + n_missing') }}
        end as rate_low,
        case
            when is_compared or is_silent then {{ ratio('n_selected + n_missing', 'n + n_missing') }}
        end as rate_high
    from rated
),

bounded as (
    select
        * {{ without('is_compared, rate_low, rate_high') }},
        {{ ratio('rate_low', 'greatest(rate_low, ' ~ highest_other('rate_high') ~ ')') }} as ratio_lowest,
        {{ ratio('rate_high', 'greatest(rate_high, ' ~ highest_other('rate_low') ~ ')') }} as ratio_highest
    from filled
),

joined as (
    select
        {{ analysis_columns() }},
        analyses.roll_up,
        analyses.pooled_categories,
        analyses.axis,
        analyses.feature,
        analyses.calibration,
        analyses.exposure,
        analyses.is_control,
        bounded.* {{ without('analysis_key, parameters') }},
        resampled.* {{ without('analysis_key, parameters, group_value, resampling_unit, n_units') }},
        coalesce(resampled.resampling_unit, units.resampling_unit) as resampling_unit,
        coalesce(resampled.n_units, units.n_units) as n_units,
        enough.is_enough,
        asked.suite is not null or bounded.standard = 'favourable_outcome' as is_asked,
        case when analyses.calibration = 'baseline' then baselines.baseline_kind end as baseline_kind
    from bounded
    inner join {{ ref('int_feature_analyses_listed') }} as analyses using (analysis_key)
    left join resampled using (analysis_key, parameters, group_value)
    left join enough using (analysis_key, parameters)
    left join units using (analysis_key)
    left join asked using (suite, parameters)
    left join {{ ref('int_baselines_classified') }} as baselines using (suite, category)
)

select
    {{ contract_columns(without=[
        'wilson_low', 'wilson_high', 'ci_status', 'impact_ratio_low', 'impact_ratio_high',
        'is_below_four_fifths', 'impact_ratio_z', 'bound_low', 'bound_high', 'chosen_reference_group',
        'chosen_impact_ratio', 'chosen_impact_ratio_low', 'chosen_impact_ratio_high', 'metric_version'
    ]) }},
    {{ wilson('n_selected', 'n', 'low') }} as wilson_low,
    {{ wilson('n_selected', 'n', 'high') }} as wilson_high,
    {{ inference_status(
        'selection_rate', 'is_asked', 'ci_low',
        "status <> 'too_few' and n_units >= " ~ fewest_units_bounded('group') ~ " and is_enough"
    ) }} as ci_status,
    {{ ratio_interval('impact_ratio', 'reference_group', 'reference', 'ratio', 'low') }} as impact_ratio_low,
    {{ ratio_interval('impact_ratio', 'reference_group', 'reference', 'ratio', 'high') }}
        as impact_ratio_high,
    {{ meets('impact_ratio', '<', 'four_fifths.red_limit') }} as is_below_four_fifths,
    case
        when impact_ratio is not null and group_value <> reference_group and resampling_unit = 'response'
            then {{ pooled_z('n_selected', 'n', 'n_selected_reference', 'n_reference') }}
    end as impact_ratio_z,
    -- What is measured, leaving the missing out, is one of the readings that the bounds span.
    case
        when impact_ratio is not null or is_silent then coalesce(ratio_lowest, impact_ratio)
    end as bound_low,
    case
        when impact_ratio is not null or is_silent then coalesce(ratio_highest, impact_ratio)
    end as bound_high,
    chosen_group as chosen_reference_group,
    chosen_ratio as chosen_impact_ratio,
    {{ ratio_interval('chosen_ratio', 'chosen_group', 'chosen', 'chosen', 'low') }}
        as chosen_impact_ratio_low,
    {{ ratio_interval('chosen_ratio', 'chosen_group', 'chosen', 'chosen', 'high') }}
        as chosen_impact_ratio_high,
    1 as metric_version
from joined
cross join four_fifths
