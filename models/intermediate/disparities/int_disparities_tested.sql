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
        analyses.is_control,
        inferred.ci_low,
        inferred.ci_high,
        inferred.p_value,
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

tested as (
    select * from joined
    where p_value is not null
),

-- A family: the configs and axes of a category on which one disparity was tested (SPEC INF-7). Controls
-- and the baseline, which is nobody's answer, stand apart.
adjusted as (
    {{ with_adjusted_p('tested', 'p_value', [
        'suite', 'category', 'feature', 'calibration', 'statistic', 'parameters', 'disparity', 'is_control',
        "config = 'baseline'"
    ]) }}
    union all by name
    select * from joined
    where p_value is null
),

compared_with_chance as (
    select
        *,
        value > null_p95 + {{ standard_slack('null_p95') }} as is_beyond_chance
    from adjusted
    where p_value is not null
),

-- Is it one group, or all of them (SPEC DIS-9)? Only where the range is more than chance gives.
labelled as (
    select
        * exclude (is_beyond_chance),
        case
            when max(case when disparity = 'range' then null_p95 end) over groups is null then null
            when {{ ignores_blocks() }} then null
            when not bool_or(disparity = 'range' and is_beyond_chance) over groups
                then 'no_disparity_detected'
            when
                bool_or(disparity = 'dixon_q' and critical_margin > 0) over groups
                or bool_or(disparity = 'max_abs_z' and is_beyond_chance) over groups
                then 'concentrated'
            else 'dispersed'
        end as concentration
    from compared_with_chance
    window groups as (partition by analysis_key, statistic, parameters)
    union all by name
    select * from adjusted
    where p_value is null
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
from labelled
