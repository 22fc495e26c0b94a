-- Grain: one row per suite, category, config_key, axis, group_a, group_b, metric, feature.
-- value: of the pairs of branches. floor_value: the same between repeats of one prompt of either group.
-- matched_value: value where as many answers go into it as into floor_value; a distance of samples is the
-- larger the smaller they are. Sums are taken in the order of values, so that builds are equal bit by bit.
-- The pairs are read where they are: a CTE that is read twice is held in memory, and there are millions.
with metrics as (
    select * from {{ ref('pair_metrics') }}
),

-- Similarities are means over pairs, distances are of samples: one of all repeats, and one of each.
branches as (
    select
        pairs.suite,
        pairs.domain,
        pairs.category,
        pairs.config_key,
        pairs.config,
        pairs.model,
        pairs.role,
        pairs.is_simulated,
        pairs.axis,
        pairs.group_a,
        pairs.group_b,
        metrics.metric,
        metrics.metric_kind,
        pairs.feature,
        case
            when metrics.metric_kind = 'similarity' then {{ in_order('avg', 'pairs.value', 'pairs.value') }}
            when metrics.threshold is null
                then {{ sorted_distance('pairs.value_a', 'pairs.value_b', 'pairs.value is not null') }}
            else {{ rate_difference(
                'pairs.value_a', 'pairs.value_b', 'metrics.threshold', 'pairs.value is not null'
            ) }}
        end as value,
        count(pairs.value) as n_pairs,
        count(*) - count(pairs.value) as n_missing,
        count(distinct pairs.root_key) filter (where pairs.value is not null) as n_roots
    from {{ ref('int_pairs_measured') }} as pairs
    inner join metrics using (measured_as)
    where pairs.pair_kind = 'branches'
    group by
        pairs.suite, pairs.domain, pairs.category, pairs.config_key, pairs.config, pairs.model, pairs.role,
        pairs.is_simulated, pairs.axis, pairs.group_a, pairs.group_b, metrics.metric, metrics.metric_kind,
        metrics.threshold, pairs.feature
),

samples as (
    select
        pairs.pair_kind,
        pairs.suite,
        pairs.category,
        pairs.config_key,
        pairs.axis,
        pairs.group_a,
        pairs.group_b,
        metrics.metric,
        metrics.metric_kind,
        pairs.feature,
        pairs.repeat_a,
        pairs.repeat_b,
        case
            when metrics.metric_kind = 'similarity' then {{ in_order('sum', 'pairs.value', 'pairs.value') }}
            when metrics.threshold is null
                then {{ sorted_distance('pairs.value_a', 'pairs.value_b', 'pairs.value is not null') }}
            else abs({{ rate_difference(
                'pairs.value_a', 'pairs.value_b', 'metrics.threshold', 'pairs.value is not null'
            ) }})
        end as value,
        count(pairs.value) as n_pairs
    from {{ ref('int_pairs_measured') }} as pairs
    inner join metrics using (measured_as)
    group by
        pairs.pair_kind, pairs.suite, pairs.category, pairs.config_key, pairs.axis, pairs.group_a,
        pairs.group_b, metrics.metric, metrics.metric_kind, metrics.threshold, pairs.feature, pairs.repeat_a,
        pairs.repeat_b
),

-- What one row counts for: a pair of a similarity, a sample of a distance.
weighed as (
    select
        *,
        case
            when metric_kind = 'similarity' then n_pairs
            else cast(value is not null as integer)
        end as weight
    from samples
),

matched as (
    select
        suite,
        category,
        config_key,
        axis,
        group_a,
        group_b,
        metric,
        feature,
        {{ ratio(in_order('sum', 'value', 'value'), 'sum(weight)') }} as matched_value
    from weighed
    where pair_kind = 'branches'
    group by all
),

repeats as (
    select
        suite,
        category,
        config_key,
        axis,
        group_a as group_value,
        metric,
        feature,
        {{ in_order('sum', 'value', 'value') }} as value,
        sum(weight) as weight,
        sum(n_pairs) as n_pairs
    from weighed
    where pair_kind = 'repeats'
    group by all
),

floors as (
    select
        branches.suite,
        branches.category,
        branches.config_key,
        branches.axis,
        branches.group_a,
        branches.group_b,
        branches.metric,
        branches.feature,
        {{ ratio(in_order('sum', 'repeats.value', 'repeats.value'), 'sum(repeats.weight)') }} as floor_value,
        sum(repeats.n_pairs) as n_floor_pairs
    from branches
    inner join repeats
        on
            branches.suite = repeats.suite
            and branches.category = repeats.category
            and branches.config_key = repeats.config_key
            and branches.axis = repeats.axis
            and branches.metric = repeats.metric
            and branches.feature = repeats.feature
            and repeats.group_value in (branches.group_a, branches.group_b)
    group by all
)

select
    branches.*,
    matched.matched_value,
    floors.floor_value,
    floors.metric is not null as has_repeats,
    cast(coalesce(floors.n_floor_pairs, 0) as bigint) as n_floor_pairs,
    matched.matched_value - floors.floor_value as contrast
from branches
left join matched using (suite, category, config_key, axis, group_a, group_b, metric, feature)
left join floors using (suite, category, config_key, axis, group_a, group_b, metric, feature)
