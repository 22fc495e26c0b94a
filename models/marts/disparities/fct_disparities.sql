-- Grain: one row per suite, category, config, axis, feature, calibration, statistic, parameters, disparity.
with judged as (
    select * from {{ ref('int_disparities_judged') }}
),

analyses as (
    select * from {{ ref('int_feature_analyses_listed') }}
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

tested as (
    select * from {{ ref('int_disparities_tested') }}
),

baselines as (
    select * from {{ ref('int_baselines_classified') }}
)

select
    {{ analysis_columns() }},
    analyses.roll_up,
    analyses.axis,
    analyses.feature,
    analyses.calibration,
    statistics.statistic,
    statistics.parameters,
    judged.disparity,
    judged.value,
    judged.status,
    case when judged.unit = 'as the statistic' then statistics.unit else judged.unit end as unit,
    tested.ci_low,
    tested.ci_high,
    tested.p_value,
    tested.p_holm,
    tested.q_value,
    tested.n_tests,
    tested.null_median,
    tested.null_p05,
    tested.null_p95,
    judged.attainable_max,
    judged.critical_value,
    judged.critical_margin,
    tested.concentration,
    judged.group_low,
    judged.group_high,
    judged.n_groups,
    judged.n_groups_excluded,
    judged.n,
    tested.resampling_unit,
    tested.n_units,
    tested.permutation_scheme,
    {{ inference_status('judged.value', 'tested.family_id is not null', 'tested.p_value') }} as p_status,
    {{ inference_status('judged.value', 'tested.family_id is not null', 'tested.ci_low') }} as ci_status,
    analyses.exposure,
    analyses.is_control,
    case when analyses.calibration = 'baseline' then baselines.baseline_kind end as baseline_kind,
    1 as metric_version
from judged
inner join analyses on judged.family_id = analyses.family_id
inner join statistics on judged.statistic_key = statistics.statistic_key
left join tested
    on
        judged.family_id = tested.family_id
        and judged.statistic_key = tested.statistic_key
        and judged.disparity_id = tested.disparity_id
left join baselines
    on
        analyses.suite = baselines.suite
        and analyses.category = baselines.category
