-- SQL and Python compute a benchmark's score from the same units, each by a formula of its own: they agree.
select
    computed.suite,
    computed.category,
    computed.config,
    computed.metric,
    computed.condition,
    computed.value,
    resampled.value as resampled_value
from {{ ref('int_benchmark_scores_computed') }} as computed
full outer join {{ ref('int_benchmark_scores_resampled') }} as resampled
    using (suite, category, config_key, metric, condition)
where
    (
        (computed.value is null and resampled.value is null)
        or abs(computed.value - resampled.value) <= 1e-9
    ) is not true
    or computed.suite is null
    or resampled.suite is null
