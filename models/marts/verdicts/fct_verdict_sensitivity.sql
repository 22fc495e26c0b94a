-- Grain: one row per profile, suite, category, config, axis, measure, calibration: the smallest impact ratio
-- by one measure, judged alike, and whether the other measures of its kind say the same.
with disparities as (
    select * from {{ ref('fct_disparities') }}
    where disparity = 'min_impact_ratio' and config <> 'baseline'
),

rules as (
    select distinct
        suite,
        category,
        feature,
        scorer,
        scorer_feature
    from {{ ref('stg_suite__outcome_rules') }}
    where rule_kind = 'score'
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
        coalesce(rules.scorer, 'ready') as measured_by,
        coalesce(directions.feature_kind, disparities.feature) as measure_kind,
        'mean' as standard,
        case when directions.favourable = 'lower' then 'smaller' else 'larger' end as method
    from disparities
    left join rules using (suite, category, feature)
    left join {{ ref('feature_directions') }} as directions
        on coalesce(rules.scorer_feature, disparities.feature) = directions.feature
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
        suites.suite,
        suites.minimum_group,
        thresholds.*
    from {{ ref('stg_suite__suites') }} as suites
    inner join {{ ref('thresholds') }} as thresholds
        on thresholds.metric = 'min_impact_ratio' and list_contains(suites.profiles, thresholds.profile)
),

judged as (
    select
        measures.*,
        profiles.profile,
        profiles.green_limit,
        profiles.red_limit,
        coalesce(smallest.n_smallest_group, 0) as n_smallest_group,
        {{ threshold_colour(
            'measures.value', 'profiles.direction', 'profiles.green_limit', 'profiles.red_limit'
        ) }} as colour,
        coalesce(
            measures.p_holm <= {{ significance_level() }} and not {{ ignores_blocks('measures') }}, false
        ) as is_significant,
        coalesce(smallest.n_smallest_group >= profiles.minimum_group, false) as is_adequate_n,
        -- An interval needs ten units, and a pass a test that could have shown something.
        measures.ci_low is not null
        and measures.p_value is not null
        and not {{ ignores_blocks('measures') }} as is_attainable
    from measures
    inner join profiles using (suite)
    left join smallest using (suite, category, config, axis, feature, calibration, standard, method)
),

decided as (
    select
        *,
        case
            when is_control then 'not_applicable'
            else {{ verdict('colour', 'is_significant', 'is_adequate_n', 'is_attainable') }}
        end as verdict
    from judged
),

compared as (
    select
        *,
        count(*) filter (verdict <> 'not_applicable') over same_kind as n_measures,
        count(*) filter (verdict <> 'not_applicable') over same_verdict as n_agreeing,
        count(*) filter (verdict <> 'not_applicable' and group_low is not null)
            over same_group
            as n_same_group_low
    from decided
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
