-- Grain: one row per profile, suite, category, config, axis, measure, calibration: the smallest impact ratio
-- by one measure, judged alike, and whether the other measures of its kind say the same.
with disparities as (
    select * from {{ ref('fct_disparities') }}
    where disparity = 'min_impact_ratio' and config <> 'baseline'
),

-- A feature of one name has one meaning in a suite, pooled or not.
features as (
    select
        measured.suite,
        measured.feature,
        case when count(distinct measured.scorer) = 1 then min(measured.scorer) else 'several' end as scorer,
        coalesce(min(rules.scorer_feature), measured.feature) as scorer_feature
    from {{ ref('int_features_measured') }} as measured
    left join {{ ref('stg_suite__outcome_rules') }} as rules
        on
            measured.suite = rules.suite
            and measured.category = rules.category
            and measured.feature = rules.feature
            and rules.rule_kind = 'score'
    group by measured.suite, measured.feature
),

-- Selected is who lies on the favourable side of the mean of all, or has a favourable outcome.
measures as (
    select
        disparities.*,
        disparities.feature as measure,
        'outcome' as measured_by,
        'favour' as measure_kind,
        'favourable_outcome' as standard,
        'in_set' as method
    from disparities
    where disparities.parameters = 'standard=favourable_outcome;method=in_set'
    union all
    select
        disparities.*,
        disparities.feature as measure,
        features.scorer as measured_by,
        coalesce(directions.feature_kind, disparities.feature) as measure_kind,
        'mean' as standard,
        case when directions.favourable = 'lower' then 'smaller' else 'larger' end as method
    from disparities
    inner join features
        on
            disparities.suite = features.suite
            and disparities.feature = features.feature
    left join {{ ref('feature_directions') }} as directions
        on features.scorer_feature = directions.feature
    where
        disparities.parameters = 'standard=mean;method='
        || case when directions.favourable = 'lower' then 'smaller' else 'larger' end
),

smallest as (
    select
        suite,
        category,
        config,
        axis,
        feature,
        calibration,
        standard,
        method,
        min(n) as n_smallest_group
    from {{ ref('fct_selection_rates') }}
    where impact_ratio is not null
    group by suite, category, config, axis, feature, calibration, standard, method
),

profiles as (
    select
        suites.minimum_group,
        limits.*
    from {{ ref('stg_suite__suites') }} as suites
    inner join {{ ref('int_limits_applied') }} as limits using (suite)
    where limits.metric = 'min_impact_ratio' and limits.axis_kind = 'single'
),

decided as (
    select * from {{ ref('int_verdicts_decided') }}
    where metric = 'min_impact_ratio'
),

-- Of a score, the answers that failed are missing.
answered as (
    select
        suite,
        category,
        config,
        count(*) filter (where not is_usable) as n_unusable
    from {{ ref('int_responses_joined') }}
    group by all
),

counted as (
    select
        measures.* {{ without('n_missing') }},
        coalesce(measures.n_missing, answered.n_unusable, 0) as n_missing
    from measures
    left join answered using (suite, category, config)
),

judged as (
    select
        counted.*,
        profiles.profile,
        profiles.green_limit,
        profiles.red_limit,
        coalesce(smallest.n_smallest_group, 0) as n_smallest_group,
        {% for name, value in {
            'colour': 'counted.value',
            'colour_mildest': 'case when counted.n_missing = 0 then counted.value else counted.bound_high end',
            'colour_worst': 'case when counted.n_missing = 0 then counted.value else counted.bound_low end'
        }.items() -%}
        {{ threshold_colour(
            value, 'profiles.direction', 'profiles.green_limit', 'profiles.red_limit'
        ) }} as {{ name }},
        {% endfor -%}
        -- A pass needs a bound, and only the favourable outcome's ratio has one.
        decided.verdict as decided_verdict,
        case when decided.verdict is null then counted.p_holm else decided.p_family end as p_corrected,
        coalesce(
            {{ meets('counted.p_holm', '<=', significance_level()) }}
            and not {{ ignores_blocks('counted') }},
            false
        ) as is_significant,
        coalesce(smallest.n_smallest_group >= profiles.minimum_group, false) as is_adequate_n,
        coalesce(
            decided.is_sound, counted.ci_low is not null and not {{ ignores_blocks('counted') }}
        ) as is_sound
    from counted
    inner join profiles using (suite)
    left join smallest using (suite, category, config, axis, feature, calibration, standard, method)
    left join decided
        on
            profiles.profile = decided.profile
            and counted.suite = decided.suite
            and counted.category = decided.category
            and counted.config = decided.config
            and counted.axis = decided.axis
            and case when counted.measured_by = 'outcome' then counted.measure end = decided.measure
),

worded as (
    select
        *,
        case
            when is_control then 'not_applicable'
            when decided_verdict is not null then decided_verdict
            else
                {{ verdict(
                    'colour', 'colour_mildest', 'colour_worst', 'null', 'null', 'is_significant', 'is_sound',
                    'false'
                ) }}
        end as verdict
    from judged
),

compared as (
    select
        *,
        count(nullif(verdict, 'not_applicable')) over (same_kind) as n_measures,
        count(nullif(verdict, 'not_applicable')) over (same_verdict) as n_agreeing,
        count(case when verdict <> 'not_applicable' and group_low is not null then 1 end) over (same_group)
            as n_same_group_low
    from worded
    window
        same_kind as (partition by profile, suite, category, config, axis, measure_kind),
        same_verdict as (partition by profile, suite, category, config, axis, measure_kind, verdict),
        same_group as (partition by profile, suite, category, config, axis, measure_kind, group_low)
)

select
    {{ contract_columns(without=['agreement', 'n_agreeing', 'n_same_group_low', 'metric_version']) }},
    case
        when analyses.verdict = 'not_applicable' then 'not_applicable'
        when analyses.n_measures < 2 then 'single_measure'
        when analyses.n_agreeing = analyses.n_measures then 'holds'
        else 'changes'
    end as agreement,
    case when analyses.verdict = 'not_applicable' then 0 else analyses.n_agreeing end as n_agreeing,
    case when analyses.verdict = 'not_applicable' then 0 else analyses.n_same_group_low end
        as n_same_group_low,
    1 as metric_version
from compared as analyses
