-- Grain: one row per family_id, statistic_key, disparity_id that was resampled.
with judged as (
    select * from {{ ref('int_disparities_judged') }}
),

families as (
    select * from {{ ref('int_feature_analyses_listed') }}
),

inferred as (
    select * from {{ ref('int_disparities_inferred') }}
),

joined as (
    select
        judged.family_id,
        judged.statistic_key,
        judged.disparity_id,
        judged.disparity,
        judged.value,
        judged.critical_margin,
        families.suite,
        families.category,
        families.config,
        families.feature,
        families.calibration,
        families.is_control,
        inferred.ci_low,
        inferred.ci_high,
        inferred.p_value,
        inferred.null_median,
        inferred.null_p05,
        inferred.null_p95,
        inferred.resampling_unit,
        inferred.n_units,
        inferred.permutation_scheme
    from inferred
    inner join judged
        on
            inferred.family_id = judged.family_id
            and inferred.statistic_key = judged.statistic_key
            and inferred.disparity = judged.disparity
    inner join families on inferred.family_id = families.family_id
),

tested as (
    select * from joined
    where p_value is not null
),

-- A family: the configs and axes of a category on which one disparity was tested (SPEC INF-7). Controls
-- and the baseline, which is nobody's answer, stand apart.
adjusted as (
    {{ with_adjusted_p('tested', 'p_value', [
        'suite', 'category', 'feature', 'calibration', 'statistic_key', 'disparity_id', 'is_control', "config = 'baseline'"
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
            when max(case when disparity = 'range' then null_p95 end) over family is null then null
            when {{ ignores_blocks() }} then null
            when not bool_or(disparity = 'range' and is_beyond_chance) over family
                then 'no_disparity_detected'
            when
                bool_or(disparity = 'dixon_q' and critical_margin > 0) over family
                or bool_or(disparity = 'max_abs_z' and is_beyond_chance) over family
                then 'concentrated'
            else 'dispersed'
        end as concentration
    from compared_with_chance
    window family as (partition by family_id, statistic_key)
    union all by name
    select * from adjusted
    where p_value is null
)

select
    family_id,
    statistic_key,
    disparity_id,
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
