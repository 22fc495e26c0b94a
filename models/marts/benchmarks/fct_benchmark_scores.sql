-- Grain: one row per suite, category, config, metric, condition.
with scores as (
    select
        computed.suite,
        computed.benchmark,
        computed.category,
        computed.config,
        computed.model,
        computed.role,
        computed.is_simulated,
        computed.metric,
        computed.condition,
        computed.value,
        computed.n,
        computed.n_neutral,
        computed.n_missing,
        computed.n_units,
        computed.n_left_out,
        resampled.ci_low,
        resampled.ci_high,
        resampled.p_value,
        resampled.null_median,
        resampled.null_p05,
        resampled.null_p95,
        settings.n_bootstrap > 0 as is_drawn,
        settings.n_permutations > 0 as is_tested
    from {{ ref('int_benchmark_scores_computed') }} as computed
    inner join {{ ref('int_benchmark_scores_resampled') }} as resampled
        using (suite, category, config_key, metric, condition)
    inner join {{ ref('stg_suite__suites') }} as settings using (suite)
),

adjusted as (
    {{ with_adjusted_p('scores', 'p_value', ['suite', 'metric', 'is_simulated']) }}
)

select
    suite,
    benchmark,
    category,
    config,
    model,
    role,
    is_simulated,
    metric,
    condition,
    value,
    case
        when value is not null then 'ok'
        when n_left_out > 0 then 'single_group'
        when n = 0 and n_neutral = 0 then 'all_missing'
        else 'zero_denominator'
    end as status,
    ci_low,
    ci_high,
    {{ inference_status('value', 'is_drawn', 'ci_low', 'n_units >= ' ~ fewest_units_bounded('axis')) }}
        as ci_status,
    null_median,
    null_p05,
    null_p95,
    p_value,
    p_holm,
    q_value,
    case when p_value is not null then n_tests end as n_tests,
    {{ inference_status('value', 'is_tested', 'p_value') }} as p_status,
    n,
    n_neutral,
    n_missing,
    n_units,
    1 as metric_version
from adjusted
