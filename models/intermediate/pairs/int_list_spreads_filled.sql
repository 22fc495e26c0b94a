-- Grain: one row per suite, category, config, axis, metric, comparison: the spreads of recommended lists, and
-- what they could be whatever the pairs without two lists had been.
with dictionary as (
    select
        metric,
        min(range_low) as range_low,
        max(range_high) as range_high
    from {{ ref('metrics') }}
    group by metric
),

filled as (
    select
        lists.*,
        (coalesce(lists.n_pairs * lists.value, 0) + lists.n_missing * dictionary.range_low)
        / (lists.n_pairs + lists.n_missing) as lowest,
        (coalesce(lists.n_pairs * lists.value, 0) + lists.n_missing * dictionary.range_high)
        / (lists.n_pairs + lists.n_missing) as highest
    from {{ ref('fct_recommendations') }} as lists
    inner join dictionary using (metric)
),

-- One pair of a comparison keeps what relabelling gives of its range.
tested as (
    select
        resampled.suite,
        resampled.category,
        configs.config,
        resampled.axis,
        resampled.metric,
        resampled.group_a,
        resampled.group_b,
        resampled.snsr_null_median,
        resampled.snsr_tail,
        resampled.snsr_null_tails
    from {{ ref('int_pairs_resampled') }} as resampled
    inner join {{ ref('int_configs_labelled') }} as configs using (config_key)
    where resampled.snsr_null_tails is not null
),

others as (
    select
        *,
        least(
            min(lowest) over (
                partition by suite, category, config, axis, metric, comparison
                order by group_a, group_b rows between unbounded preceding and 1 preceding
            ),
            min(lowest) over (
                partition by suite, category, config, axis, metric, comparison
                order by group_a, group_b rows between 1 following and unbounded following
            )
        ) as lowest_other,
        avg(lowest + highest) over (
            partition by suite, category, config, axis, metric, comparison
        ) / 2 as middle
    from filled
    left join tested using (suite, category, config, axis, metric, group_a, group_b)
),

summarised as (
    select
        suite,
        category,
        config,
        axis,
        metric,
        comparison,
        any_value(snsr) as snsr,
        any_value(snsv) as snsv,
        any_value(snsr_high) as snsr_high,
        any_value(snsv_high) as snsv_high,
        any_value(snsr_p_value) as snsr_p_value,
        any_value(snsr_null_p95) as snsr_null_p95,
        max(snsr_null_median) as snsr_null_median,
        max(snsr_tail) as snsr_tail,
        max_by(snsr_null_tails, snsr_tail) as snsr_null_tails,
        any_value(n_values) as n_values,
        count(*) as n_pairs_of_groups,
        cast(sum(n_pairs) as bigint) as n_pairs,
        cast(sum(n_missing) as bigint) as n_missing,
        min(n_units) as n_units,
        greatest(0, max(lowest) - min(highest)) as snsr_lowest,
        max(highest - lowest_other) as snsr_highest,
        -- None of these ends deviates by more than they all do from one middle.
        sqrt(avg(power(greatest(highest - middle, middle - lowest), 2))) as snsv_highest
    from others
    group by suite, category, config, axis, metric, comparison
)

select
    *,
    -- No values of a range deviate by less than its two ends alone.
    snsr_lowest / sqrt(2 * n_pairs_of_groups) as snsv_lowest,
    -- Likeness to the reference group's lists is told; without one, that of two groups' lists.
    row_number() over (
        partition by suite, category, config, axis, metric order by snsr is null, comparison
    ) = 1 as is_told
from summarised
