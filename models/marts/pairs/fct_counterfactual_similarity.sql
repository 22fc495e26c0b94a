-- Grain: one row per suite, category, config, axis, group_a, group_b, metric, feature.
with compared as (
    select
        *,
        count(*) over (
            partition by suite, category, config_key, axis, metric, feature
        ) as n_group_pairs
    from {{ ref('int_pairs_averaged') }}
),

joined as (
    select
        compared.*,
        resampled.ci_low,
        resampled.ci_high,
        resampled.contrast_low,
        resampled.contrast_high,
        resampled.p_value,
        case when not exposed.is_control then resampled.p_value end as p_judged,
        resampled.null_median,
        resampled.null_p05,
        resampled.null_p95,
        exposed.exposure,
        exposed.is_control,
        settings.n_permutations,
        settings.n_bootstrap
    from compared
    inner join {{ ref('stg_suite__suites') }} as settings using (suite)
    inner join {{ ref('int_axes_shown') }} as exposed using (suite, category, config_key, axis)
    left join {{ ref('int_pairs_resampled') }} as resampled
        using (suite, category, config_key, axis, group_a, group_b, metric, feature)
),

adjusted as (
    {{ with_adjusted_p(
        'joined', 'p_judged', ['suite', 'category', 'is_simulated', 'axis', 'metric', 'feature']
    ) }}
)

select
    {{ analysis_columns() }},
    analyses.axis,
    analyses.group_a,
    analyses.group_b,
    analyses.metric,
    analyses.feature,
    analyses.value,
    case when analyses.value is null then 'all_missing' else 'ok' end as status,
    analyses.ci_low,
    analyses.ci_high,
    {{ inference_status('analyses.value', 'analyses.n_bootstrap > 0', 'analyses.ci_low') }} as ci_status,
    analyses.matched_value,
    analyses.floor_value,
    case
        when not analyses.has_repeats then 'no_repeats'
        when analyses.floor_value is null then 'all_missing'
        else 'ok'
    end as floor_status,
    analyses.contrast,
    analyses.contrast_low,
    analyses.contrast_high,
    analyses.p_value,
    analyses.p_holm,
    analyses.q_value,
    analyses.n_tests,
    case
        when analyses.p_value is not null then 'ok'
        when analyses.value is null then 'not_applicable'
        when analyses.n_permutations = 0 then 'not_resampled'
        -- Two branches that swap places are as alike as before.
        when analyses.metric_kind = 'similarity' and (analyses.n_group_pairs < 3 or analyses.n_roots > 1)
            then 'not_applicable'
        else 'too_few'
    end as p_status,
    analyses.null_median,
    analyses.null_p05,
    analyses.null_p95,
    analyses.n_pairs,
    analyses.n_missing,
    analyses.n_floor_pairs,
    analyses.n_roots,
    analyses.n_group_pairs,
    analyses.exposure,
    analyses.is_control,
    1 as metric_version
from adjusted as analyses
