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
        resampled.resampling_unit,
        coalesce(resampled.n_names, compared.n_roots) as n_units,
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
    {{ contract_columns(without=['status', 'ci_status', 'floor_status', 'p_status', 'metric_version']) }},
    case when analyses.value is null then 'all_missing' else 'ok' end as status,
    {{ inference_status(
        'analyses.value', 'analyses.n_bootstrap > 0', 'analyses.ci_low',
        'analyses.n_units >= ' ~ (
            "case analyses.resampling_unit when 'block' then " ~ fewest_units_bounded('group')
            ~ ' else ' ~ fewest_units_bounded('axis') ~ ' end'
        )
    ) }} as ci_status,
    case
        when not analyses.has_repeats then 'no_repeats'
        when analyses.floor_value is null then 'all_missing'
        else 'ok'
    end as floor_status,
    case
        when analyses.p_value is not null then 'ok'
        when analyses.value is null then 'not_applicable'
        when analyses.n_permutations = 0 then 'not_resampled'
        -- Two branches that swap places are as alike as before.
        when analyses.metric_kind = 'similarity' and (analyses.n_group_pairs < 3 or analyses.n_roots > 1)
            then 'not_applicable'
        -- A name was compared with names of the other group alone, so it can be given to none.
        when analyses.metric = 'judge_preference' and analyses.resampling_unit = 'block' then 'not_applicable'
        else 'too_few'
    end as p_status,
    1 as metric_version
from adjusted as analyses
