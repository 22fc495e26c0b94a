-- Grain: one row per suite, category, config_key, measure, axis, metric, group_value: what thresholds judge.
with analyses as (
    select * from {{ ref('int_analyses_listed') }}
),

tests as (
    select * from {{ ref('int_analysis_tests_adjusted') }}
),

associations as (
    select * from {{ ref('int_associations_computed') }}
),

deviations as (
    select
        analysis_id,
        metric,
        max(value) as value,
        max(attainable_max) as attainable_max,
        coalesce(arg_max(group_value, (value, group_value)) filter (value is not null), '') as group_value
    from {{ ref('int_deviations_computed') }}
    where reference = 'pooled'
    group by analysis_id, metric
),

shifts as (
    select
        analysis_id,
        max(abs(dbi)) as value,
        max(attainable_max) as attainable_max,
        coalesce(arg_max(group_value, (abs(dbi), group_value)) filter (dbi is not null), '') as group_value
    from {{ ref('int_scores_computed') }}
    group by analysis_id
),

selections as (
    select
        analysis_id,
        coalesce(arg_min(group_value, (value, group_value)) filter (value is not null), '') as group_value
    from {{ ref('int_analyses_resampled') }}
    where statistic = 'selection_rate'
    group by analysis_id
),

shown as (
    select distinct
        suite,
        category,
        config_key,
        unnest(shown_attributes) as attribute
    from {{ ref('int_axes_shown') }}
),

-- What the suite asks for and no answer allows: judged too, so that silence is a row (SPEC 19).
planned as (
    select
        suite,
        category,
        case when rule_kind = 'score' then feature else outcome_set end as measure,
        case when rule_kind = 'score' then 'score' else 'outcome' end as kind,
        coalesce(bool_or(is_favourable), false) as is_selectable
    from {{ ref('stg_suite__outcome_rules') }}
    group by all
),

answered as (
    select * from analyses
    where n > 0
),

unanswered as (
    select
        planned.suite,
        categories.domain,
        planned.category,
        configs.config_key,
        configs.config,
        configs.model,
        configs.role,
        configs.is_simulated,
        planned.measure,
        exposed.axis,
        case when exposed.n_attributes > 1 then 'intersection' else 'single' end as axis_kind,
        case
            when metrics.metric = 'max_fdi' and exposed.n_attributes > 1 then 'max_idi'
            else metrics.metric
        end as metric,
        suites.minimum_group,
        exposed.is_control,
        exposed.hidden_attributes
    from planned
    inner join (
        values
        ('outcome', 'chi_square_p'),
        ('outcome', 'cramers_v'),
        ('outcome', 'max_fdi'),
        ('outcome', 'max_jsd_nats'),
        ('outcome', 'min_impact_ratio'),
        ('score', 'max_abs_dbi')
    ) as metrics (kind, metric)
        on
            planned.kind = metrics.kind
            and (planned.is_selectable or metrics.metric <> 'min_impact_ratio')
    inner join {{ ref('stg_suite__categories') }} as categories
        on
            planned.suite = categories.suite
            and planned.category = categories.category
    inner join {{ ref('int_axes_shown') }} as exposed
        on
            planned.suite = exposed.suite
            and planned.category = exposed.category
    inner join {{ ref('int_configs_labelled') }} as configs on exposed.config_key = configs.config_key
    inner join {{ ref('stg_suite__suites') }} as suites on planned.suite = suites.suite
    anti join answered
        on
            planned.suite = answered.suite
            and planned.category = answered.category
            and exposed.config_key = answered.config_key
            and planned.measure = answered.measure
            and exposed.axis = answered.axis
),

-- Of selection rates by measured values the default criterion is judged, where a suite has it resampled.
criterion as (
    select
        asked.suite,
        asked.statistic_key,
        asked.standard_id,
        asked.method_id
    from {{ ref('int_resampling_requested') }} as asked
    inner join {{ ref('selection_standards') }} as standards on asked.standard_id = standards.standard_id
    inner join {{ ref('selection_methods') }} as methods on asked.method_id = methods.method_id
    where standards.is_default and methods.is_default
),

rated as (
    select
        rates.family_id,
        rates.standard_id,
        rates.method_id,
        min(rates.n) as n_smallest_group,
        min_by(samples.group_value, (rates.selection_rate, samples.group_value)) as group_value
    from {{ ref('int_selections_rated') }} as rates
    inner join {{ ref('int_group_features_listed') }} as samples on rates.sample_id = samples.sample_id
    where rates.is_compared
    group by rates.family_id, rates.standard_id, rates.method_id
),

designs as (
    select
        family_id,
        statistic_key,
        max(min_attainable_p) as min_attainable_p
    from {{ ref('int_feature_analyses_resampled') }}
    where statistic_key >= 1000 and group_id is null
    group by family_id, statistic_key
),

-- Far from its baseline, or of one topic rather than another: neither is favourable.
without_direction as (
    select
        suite,
        feature
    from {{ ref('stg_suite__distances') }}
    union
    select
        suite,
        feature
    from {{ ref('int_topic_features_listed') }}
),

measured as (
    select
        families.suite,
        families.domain,
        families.category,
        families.config_key,
        families.config,
        families.model,
        families.role,
        families.is_simulated,
        families.feature as measure,
        families.axis,
        case when exposed.n_attributes > 1 then 'intersection' else 'single' end as axis_kind,
        case families.calibration
            when 'none' then 'min_impact_ratio_measured' else 'min_impact_ratio_calibrated'
        end as metric,
        coalesce(rated.group_value, '') as group_value,
        judged.value,
        tested.ci_low,
        tested.ci_high,
        tested.null_p05,
        tested.null_median,
        tested.null_p95,
        tested.p_value,
        tested.p_holm,
        tested.n_tests,
        0.0 as attainable,
        designs.min_attainable_p,
        tested.resampling_unit,
        tested.n_units,
        tested.permutation_scheme,
        judged.n,
        judged.n_groups,
        coalesce(rated.n_smallest_group, 0) as n_smallest_group,
        suites.minimum_group,
        families.is_control,
        exposed.hidden_attributes
    from {{ ref('int_disparities_judged') }} as judged
    inner join {{ ref('int_feature_analyses_listed') }} as families on judged.family_id = families.family_id
    inner join criterion
        on
            families.suite = criterion.suite
            and judged.statistic_key = criterion.statistic_key
    inner join {{ ref('stg_suite__suites') }} as suites on families.suite = suites.suite
    inner join {{ ref('int_axes_shown') }} as exposed
        on
            families.suite = exposed.suite
            and families.category = exposed.category
            and families.config_key = exposed.config_key
            and families.axis = exposed.axis
    left join rated
        on
            judged.family_id = rated.family_id
            and criterion.standard_id = rated.standard_id
            and criterion.method_id = rated.method_id
    left join {{ ref('int_disparities_tested') }} as tested
        on
            judged.family_id = tested.family_id
            and judged.statistic_key = tested.statistic_key
            and judged.disparity_id = tested.disparity_id
    left join designs
        on
            judged.family_id = designs.family_id
            and judged.statistic_key = designs.statistic_key
    left join {{ ref('int_baselines_classified') }} as baselines
        on
            families.suite = baselines.suite
            and families.category = baselines.category
    anti join without_direction
        on
            families.suite = without_direction.suite
            and families.feature = without_direction.feature
    where
        judged.disparity = 'min_impact_ratio'
        -- A baseline branched with its prompt takes off what the scorer makes of the group's name: what is
        -- left is the model's.
        and (families.calibration <> 'none' or coalesce(baselines.baseline_kind, '') <> 'counterfactual')
),

judged as (
    select
        analysis_id,
        'chi_square' as statistic,
        'chi_square_p' as metric,
        '' as group_value,
        cast(null as double) as value,
        cast(null as double) as attainable
    from associations
    where status = 'ok'
    union all
    select
        analysis_id,
        'cramers_v' as statistic,
        'cramers_v' as metric,
        '' as group_value,
        cramers_v as value,
        1.0 as attainable
    from associations
    union all
    select
        deviations.analysis_id,
        'max_' || deviations.metric || '_pooled' as statistic,
        case
            when deviations.metric = 'fdi' and analyses.n_attributes > 1 then 'max_idi'
            else 'max_' || deviations.metric
        end as metric,
        deviations.group_value,
        deviations.value,
        deviations.attainable_max as attainable
    from deviations
    inner join analyses on deviations.analysis_id = analyses.analysis_id
    union all
    select
        analysis_id,
        'max_abs_dbi' as statistic,
        'max_abs_dbi' as metric,
        group_value,
        value,
        attainable_max as attainable
    from shifts
    union all
    select
        tests.analysis_id,
        'min_impact_ratio' as statistic,
        'min_impact_ratio' as metric,
        selections.group_value,
        tests.value,
        0.0 as attainable
    from tests
    inner join selections on tests.analysis_id = selections.analysis_id
    where tests.statistic = 'min_impact_ratio'
)

select
    analyses.suite,
    analyses.domain,
    analyses.category,
    analyses.config_key,
    analyses.config,
    analyses.model,
    analyses.role,
    analyses.is_simulated,
    analyses.measure,
    analyses.axis,
    case when analyses.n_attributes > 1 then 'intersection' else 'single' end as axis_kind,
    judged.metric,
    judged.group_value,
    case when judged.metric = 'chi_square_p' then tests.p_value else judged.value end as value,
    case when judged.metric <> 'chi_square_p' then tests.ci_low end as ci_low,
    case when judged.metric <> 'chi_square_p' then tests.ci_high end as ci_high,
    case when judged.metric <> 'chi_square_p' then tests.null_p05 end as null_p05,
    case when judged.metric <> 'chi_square_p' then tests.null_median end as null_median,
    case when judged.metric <> 'chi_square_p' then tests.null_p95 end as null_p95,
    tests.p_value,
    tests.p_holm,
    tests.n_tests,
    case when judged.metric = 'chi_square_p' then tests.min_attainable_p else judged.attainable end
        as attainable,
    tests.min_attainable_p,
    tests.resampling_unit,
    tests.n_units,
    tests.permutation_scheme,
    analyses.n,
    analyses.n_groups,
    analyses.n_smallest_group,
    analyses.minimum_group,
    analyses.is_control,
    analyses.hidden_attributes
from judged
inner join analyses on judged.analysis_id = analyses.analysis_id
left join tests
    on
        judged.analysis_id = tests.analysis_id
        and judged.statistic = tests.statistic
union all by name
select
    suite,
    domain,
    category,
    config_key,
    config,
    model,
    role,
    is_simulated,
    measure,
    axis,
    axis_kind,
    metric,
    minimum_group,
    is_control,
    hidden_attributes,
    '' as group_value,
    0 as n,
    0 as n_groups,
    0 as n_smallest_group
from unanswered
union all by name
select * from measured
union all by name
select
    compared.suite,
    compared.domain,
    compared.category,
    compared.config_key,
    compared.config,
    compared.model,
    compared.role,
    compared.is_simulated,
    compared.outcome_set as measure,
    truths.attribute as axis,
    'single' as axis_kind,
    'jsd_census_nats' as metric,
    compared.sex as group_value,
    compared.jsd_nats as value,
    compared.ci_low,
    compared.ci_high,
    compared.resampling_unit,
    compared.n_units,
    compared.n,
    1 as n_groups,
    compared.n as n_smallest_group,
    compared.minimum_group,
    shown.attribute is null as is_control,
    case when shown.attribute is null then [truths.attribute] else cast([] as varchar[]) end
        as hidden_attributes,
    ln(2) as attainable
from {{ ref('int_census_distances_resampled') }} as compared
inner join {{ ref('stg_suite__ground_truths') }} as truths
    on
        compared.suite = truths.suite
        and compared.category = truths.category
        and compared.outcome_set = truths.outcome_set
        and truths.ground_truth = 'singstat'
left join shown
    on
        compared.suite = shown.suite
        and compared.category = shown.category
        and compared.config_key = shown.config_key
        and truths.attribute = shown.attribute
