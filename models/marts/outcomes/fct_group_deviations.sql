-- Grain: one row per suite, category, config, axis, outcome_set, group_value, metric, reference.
-- group_value '' is the axis as a whole: the largest (max_) and mean (mean_) of its groups.
with analyses as (
    select * from {{ ref('int_analyses_listed') }}
    where measure_kind = 'outcome'
),

deviations as (
    select * from {{ ref('int_deviations_computed') }}
),

summarised as (
    select
        analysis_key,
        metric,
        reference,
        max(n) as n,
        max(value) as max_value,
        avg(value) as mean_value,
        max(attainable_max) as attainable_max,
        -- What differs by rounding alone ties: its last digits are the engine's.
        max_by(group_value, (round(value, 9), group_value)) filter (where value is not null) as group_extreme
    from deviations
    group by analysis_key, metric, reference
),

missing as (
    select * from {{ ref('int_missing_answers_counted') }}
),

levels as (
    select
        analysis_key,
        group_value,
        metric,
        reference,
        metric || '_' || reference as statistic,
        cast(null as string) as group_extreme,
        value,
        attainable_max,
        n_group as n
    from deviations
    union all
    select
        analysis_key,
        '' as group_value,
        'max_' || metric as metric,
        reference,
        'max_' || metric || '_' || reference as statistic,
        group_extreme,
        max_value as value,
        attainable_max,
        n
    from summarised
    union all
    select
        analysis_key,
        '' as group_value,
        'mean_' || metric as metric,
        reference,
        'mean_' || metric || '_' || reference as statistic,
        cast(null as string) as group_extreme,
        mean_value as value,
        attainable_max,
        n
    from summarised
),

-- Groups that enter no table are listed: too small ones, and those without an answer that could be read.
excluded as (
    select distinct
        analysis_key,
        group_value,
        n_group as n,
        'too_few' as status
    from {{ ref('int_responses_analysed') }}
    where measure_kind = 'outcome' and is_excluded
    union all
    select
        analyses.analysis_key,
        missing.group_value,
        0 as n,
        'all_missing' as status
    from analyses
    inner join missing using (suite, category, config_key, measure, axis)
    where missing.group_value <> '' and missing.n_missing = missing.n_responses
),

metrics as (
    select distinct
        metric,
        reference
    from deviations
),

resampled_levels as (
    select
        levels.analysis_key,
        levels.group_value,
        levels.metric,
        levels.reference,
        levels.group_extreme,
        levels.value,
        levels.attainable_max,
        levels.n,
        case when levels.value is null then 'single_group' else 'ok' end as status,
        resampled.ci_low,
        resampled.ci_high,
        resampled.ci_status,
        resampled.p_value,
        resampled.p_max,
        resampled.null_median,
        resampled.null_p95,
        resampled.min_attainable_p,
        resampled.resampling_unit,
        resampled.n_units,
        resampled.n_permutations
    from levels
    left join {{ ref('int_analyses_resampled') }} as resampled using (analysis_key, group_value, statistic)
),

excluded_groups as (
    select
        excluded.analysis_key,
        excluded.group_value,
        metrics.metric,
        metrics.reference,
        excluded.n,
        excluded.status
    from excluded
    cross join metrics
),

listed as (
    {{ union_by_name(['resampled_levels', 'excluded_groups']) }}
)

select
    {{ analysis_columns() }},
    analyses.axis,
    analyses.measure as outcome_set,
    listed.group_value,
    -- The same distance is called IDI over an intersection of attributes (SPEC FS-4).
    case when analyses.n_attributes > 1 then replace(listed.metric, 'fdi', 'idi') else listed.metric end
        as metric,
    listed.reference,
    listed.value,
    listed.status,
    listed.ci_low,
    listed.ci_high,
    listed.ci_status,
    listed.p_value,
    listed.p_max,
    listed.null_median,
    listed.null_p95,
    listed.attainable_max,
    -- What is measured, leaving the missing out, is one of the readings that the bounds span.
    case when bounds.bound_low is not null then least(bounds.bound_low, listed.value) end as bound_low,
    case when bounds.bound_high is not null then greatest(bounds.bound_high, listed.value) end as bound_high,
    listed.group_extreme,
    analyses.n_groups,
    listed.n,
    coalesce(missing.n_missing, 0) as n_missing,
    listed.resampling_unit,
    listed.n_units,
    listed.n_permutations,
    listed.min_attainable_p,
    analyses.exposure,
    analyses.is_control,
    1 as metric_version
from listed
inner join analyses using (analysis_key)
left join {{ ref('int_deviations_bounded') }} as bounds using (analysis_key, group_value, metric, reference)
left join missing using (suite, category, config_key, measure, axis, group_value)
