-- Grain: one row per analysis_key, statistic, parameters, disparity that was resampled.
with joined as (
    select
        judged.analysis_key,
        judged.statistic,
        judged.parameters,
        judged.disparity,
        judged.value,
        judged.critical_margin,
        analyses.suite,
        analyses.category,
        analyses.config,
        analyses.feature,
        analyses.calibration,
        analyses.roll_up,
        analyses.is_simulated,
        inferred.ci_low,
        inferred.ci_high,
        inferred.p_value,
        case when not analyses.is_control then inferred.p_value end as family_p,
        inferred.null_median,
        inferred.null_p05,
        inferred.null_p95,
        inferred.resampling_unit,
        inferred.n_units,
        inferred.permutation_scheme
    from {{ ref('int_disparities_inferred') }} as inferred
    inner join {{ ref('int_disparities_judged') }} as judged
        using (analysis_key, statistic, parameters, disparity)
    inner join {{ ref('int_feature_analyses_listed') }} as analyses using (analysis_key)
),

-- A family: the configs and axes of a category on which one disparity was tested (SPEC INF-7), simulated and
-- real apart, and each level of a roll-up. The baseline, which is nobody's answer, stands apart; controls are
-- in no family.
adjusted as (
    select
        * {{ without('n_tests') }},
        case when family_p is not null then n_tests end as n_tests
    from ({{ with_adjusted_p('joined', 'family_p', [
        'suite', 'category', 'roll_up', 'feature', 'calibration', 'statistic', 'parameters', 'disparity',
        'is_simulated', "config = 'baseline'"
    ]) }})
),

compared_with_chance as (
    select
        *,
        {{ meets('value', '>', 'null_p95') }} and {{ meets('p_value', '<=', significance_level()) }}
            as is_beyond_chance
    from adjusted
    where p_value is not null
),

-- Is it one group, or all of them (SPEC DIS-9)? Only where the range is more than chance gives.
labelled as (
    select
        * {{ without('is_beyond_chance') }},
        case
            when max(case when disparity = 'range' then null_p95 end) over of_statistic is null then null
            when {{ ignores_blocks() }} then null
            when not bool_or(disparity = 'range' and is_beyond_chance) over of_statistic
                then 'no_disparity_detected'
            when
                bool_or(disparity = 'dixon_q' and {{ meets('critical_margin', '>', 0) }}) over of_statistic
                or bool_or(disparity = 'max_abs_z' and is_beyond_chance) over of_statistic
                then 'concentrated'
            else 'dispersed'
        end as concentration
    from compared_with_chance
    window of_statistic as (partition by analysis_key, statistic, parameters)
),

untested as (
    select * from adjusted
    where p_value is null
),

together as (
    {{ union_by_name(['labelled', 'untested']) }}
)

select
    analysis_key,
    statistic,
    parameters,
    disparity,
    ci_low,
    ci_high,
    p_value,
    p_holm,
    q_value,
    cast(n_tests as bigint) as n_tests,
    null_median,
    null_p05,
    null_p95,
    concentration,
    resampling_unit,
    n_units,
    permutation_scheme
from together
