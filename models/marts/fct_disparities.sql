-- Grain: one row per suite, category, config, axis, feature, calibration, statistic, parameters, disparity.
with computed as (
    select * from {{ ref('int_disparities_computed') }}
),

families as (
    select * from {{ ref('int_families_listed') }}
),

disparities as (
    select * from {{ ref('disparities') }}
),

statistics as (
    select
        statistic_id as statistic_key,
        statistic,
        coalesce(parameters, '') as parameters,
        unit
    from {{ ref('statistics') }}
    union all
    select
        1000 + 10 * standards.standard_id + methods.method_id as statistic_key,
        'selection_rate' as statistic,
        'standard=' || standards.standard || ';method=' || methods.method as parameters,
        'share' as unit
    from {{ ref('selection_standards') }} as standards
    cross join {{ ref('selection_methods') }} as methods
    union all
    select
        0 as statistic_key,
        'selection_rate' as statistic,
        'standard=favourable_outcome;method=in_set' as parameters,
        'share' as unit
),

critical_values as (
    select * from {{ ref('dixon_critical_values') }}
    where alpha = 0.05
),

inferred as (
    select * from {{ ref('int_disparities_inferred') }}
),

baselines as (
    select * from {{ ref('int_baselines_classified') }}
),

joined as (
    select
        {{ analysis_columns('families') }},
        families.axis,
        families.feature,
        families.calibration,
        statistics.statistic,
        statistics.parameters,
        disparities.disparity,
        computed.value,
        computed.status,
        case
            when disparities.unit = 'as the statistic' then statistics.unit
            else disparities.unit
        end as unit,
        inferred.ci_low,
        inferred.ci_high,
        inferred.p_value,
        inferred.null_median,
        inferred.null_p05,
        inferred.null_p95,
        computed.attainable_max,
        critical_values.critical_value,
        computed.value - critical_values.critical_value as critical_margin,
        computed.group_low,
        computed.group_high,
        computed.n_groups,
        computed.n_groups_excluded,
        computed.n,
        inferred.resampling_unit,
        inferred.n_units,
        inferred.permutation_scheme,
        {{ inference_status('computed.value', 'inferred.family_id is not null', 'inferred.p_value') }}
            as p_status,
        {{ inference_status('computed.value', 'inferred.family_id is not null', 'inferred.ci_low') }}
            as ci_status,
        families.exposure,
        families.is_control,
        case when families.calibration = 'baseline' then baselines.baseline_kind end as baseline_kind
    from computed
    inner join families on computed.family_id = families.family_id
    inner join disparities on computed.disparity_id = disparities.disparity_id
    inner join statistics on computed.statistic_key = statistics.statistic_key
    left join critical_values
        on
            computed.n_groups = critical_values.n_groups
            and critical_values.sides
            = case disparities.disparity
                when 'dixon_q' then 'two_sided'
                when 'dixon_q_low' then 'one_sided'
                when 'dixon_q_high' then 'one_sided'
            end
    left join baselines
        on
            families.suite = baselines.suite
            and families.category = baselines.category
    left join inferred
        on
            computed.family_id = inferred.family_id
            and computed.statistic_key = inferred.statistic_key
            and disparities.disparity = inferred.disparity
),

tested as (
    select * from joined
    where p_value is not null
),

-- A family: the configs and axes of a category on which one disparity was tested (SPEC INF-7). Controls
-- and the baseline, which is nobody's answer, stand apart.
adjusted as (
    {{ with_adjusted_p('tested', 'p_value', [
        'suite', 'category', 'feature', 'calibration', 'statistic', 'parameters', 'disparity', 'is_control', "config = 'baseline'"
    ]) }}
    union all by name
    select * from joined
    where p_value is null
),

-- Is it one group, or all of them (SPEC DIS-9)? Only where the range is more than chance gives.
labelled as (
    select
        *,
        case
            when max(case when disparity = 'range' then null_p95 end) over family is null then null
            when {{ ignores_blocks() }} then null
            when not bool_or(disparity = 'range' and value > null_p95) over family
                then 'no_disparity_detected'
            when
                bool_or(disparity = 'dixon_q' and critical_margin > 0) over family
                or bool_or(disparity = 'max_abs_z' and value > null_p95) over family
                then 'concentrated'
            else 'dispersed'
        end as concentration
    from adjusted
    where p_value is not null
    window family as (partition by suite, category, config, axis, feature, calibration, statistic, parameters)
    union all by name
    select * from adjusted
    where p_value is null
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
    statistic,
    parameters,
    disparity,
    value,
    status,
    unit,
    ci_low,
    ci_high,
    p_value,
    p_holm,
    q_value,
    cast(n_tests as bigint) as n_tests,
    null_median,
    null_p05,
    null_p95,
    attainable_max,
    critical_value,
    critical_margin,
    concentration,
    group_low,
    group_high,
    cast(n_groups as bigint) as n_groups,
    cast(n_groups_excluded as bigint) as n_groups_excluded,
    n,
    resampling_unit,
    n_units,
    permutation_scheme,
    p_status,
    ci_status,
    exposure,
    is_control,
    baseline_kind,
    1 as metric_version
from labelled
