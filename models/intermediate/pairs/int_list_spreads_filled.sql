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
        any_value(n_values) as n_values,
        count(*) as n_pairs_of_groups,
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
    snsr_lowest / sqrt(2 * n_pairs_of_groups) as snsv_lowest
from summarised
