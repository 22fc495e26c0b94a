-- Grain: one row per suite, category, config, outcome_set, axis, group_value, metric, outcome. Axis and group
-- are '' for all answers. How often what is read is not what people say, over all answers that labels were
-- drawn from. Intervals count labels for what they tell, as their weights are unlike (Kish), and those of one
-- name, text or root may be alike; that of a mean is Student's. What a rule misses of a label lies in other
-- readings, and a label of those may stand for many more answers: the interval of recall counts what labels
-- weigh, and half a miss more, of the heaviest.
{%- set half = (
    student('n_effective - 1') ~ ' * sqrt('
    ~ ratio('greatest(0, mean_square - value * value)', 'n_effective - 1') ~ ')'
) %}
{%- set carried = [
    'suite', 'domain', 'category', 'config', 'model', 'role', 'is_simulated', 'outcome_set'
] | join(',\n        ') %}
with listed as (
    select
        errors.*,
        weighed.label_worth,
        max(errors.weight) over (
            partition by
                errors.suite, errors.category, errors.config, errors.is_simulated, errors.outcome_set,
                errors.axis, errors.group_value
        ) / 2 as half_heaviest
    from {{ ref('int_label_errors_listed') }} as errors
    inner join {{ ref('int_labels_weighed') }} as weighed
        using (suite, category, config_key, outcome_set, axis, group_value, metric, outcome)
),

summed as (
    select
        {{ carried }},
        axis,
        group_value,
        metric,
        outcome,
        count(*) as n_labels,
        max(half_heaviest) as half_heaviest,
        sum(weight) as w,
        sum(weight * weight / label_worth) as w2,
        sum(weight * x) as wx,
        sum(weight * x * x) as wx2,
        sum(weight * weight * x / label_worth) as w2x
    from listed
    group by all
),

totals as (
    select
        {{ carried }},
        axis,
        metric,
        outcome,
        cast(sum(n_labels) as bigint) as n_labels,
        max(half_heaviest) as half_heaviest,
        sum(w) as w,
        sum(w2) as w2,
        sum(wx) as wx,
        sum(wx2) as wx2,
        sum(w2x) as w2x
    from summed
    group by all
),

-- Each group, and all others of its axis together.
sides as (
    select
        {{ carried }},
        axis,
        group_value,
        metric,
        outcome,
        true as is_own,
        n_labels,
        half_heaviest,
        w,
        w2,
        wx,
        wx2,
        w2x
    from summed
    union all
    select
        summed.suite,
        summed.domain,
        summed.category,
        summed.config,
        summed.model,
        summed.role,
        summed.is_simulated,
        summed.outcome_set,
        summed.axis,
        summed.group_value,
        summed.metric,
        summed.outcome,
        false as is_own,
        totals.n_labels - summed.n_labels as n_labels,
        totals.half_heaviest,
        totals.w - summed.w as w,
        totals.w2 - summed.w2 as w2,
        totals.wx - summed.wx as wx,
        totals.wx2 - summed.wx2 as wx2,
        totals.w2x - summed.w2x as w2x
    from summed
    inner join totals using (suite, category, config, is_simulated, outcome_set, axis, metric, outcome)
    where totals.n_labels > summed.n_labels
),

doubted as (
    select
        *,
        {{ ratio('wx', 'w + half_heaviest') }} as doubted_value
    from sides
),

means as (
    select
        *,
        {{ ratio('wx', 'w') }} as value,
        {{ ratio('wx2', 'w') }} as mean_square,
        least({{ ratio('w * w', 'w2') }}, case when metric = 'recall' and wx > 0 then {{ ratio(
            'doubted_value * (1 - doubted_value) * power(w + half_heaviest, 2)',
            'w2x * (1 - 2 * doubted_value) + (w2 + half_heaviest * half_heaviest) * power(doubted_value, 2)'
        ) }} end) as n_effective
    from doubted
),

bounded as (
    select
        *,
        case
            when metric <> 'mean_error' then {{ wilson('value * n_effective', 'n_effective', 'low') }}
            when n_labels > 1
                then value - {{ half }}
        end as low,
        case
            when metric <> 'mean_error' then {{ wilson('value * n_effective', 'n_effective', 'high') }}
            when n_labels > 1
                then value + {{ half }}
        end as high
    from means
),

examples as (
    select
        suite,
        category,
        config,
        outcome_set,
        max(case when is_example then 1 else 0 end) = 1 as is_example
    from listed
    group by suite, category, config, outcome_set
)

select
    of_group.suite,
    of_group.domain,
    of_group.category,
    of_group.config,
    of_group.model,
    of_group.role,
    of_group.is_simulated,
    of_group.outcome_set,
    of_group.axis,
    of_group.group_value,
    of_group.metric,
    of_group.outcome,
    of_group.value,
    of_group.low as ci_low,
    of_group.high as ci_high,
    of_group.value - of_others.value as error_difference,
    -- Each end is as far away as the two values' ends are from them, added up as standard errors are.
    of_group.value - of_others.value
    - sqrt(power(of_group.value - of_group.low, 2) + power(of_others.high - of_others.value, 2))
        as difference_low,
    of_group.value - of_others.value
    + sqrt(power(of_group.high - of_group.value, 2) + power(of_others.value - of_others.low, 2))
        as difference_high,
    of_group.n_labels,
    examples.is_example,
    1 as metric_version
from bounded as of_group
inner join examples using (suite, category, config, outcome_set)
left join bounded as of_others
    on
        of_group.suite = of_others.suite
        and of_group.category = of_others.category
        and of_group.config = of_others.config
        and of_group.is_simulated = of_others.is_simulated
        and of_group.outcome_set = of_others.outcome_set
        and of_group.axis = of_others.axis
        and of_group.group_value = of_others.group_value
        and of_group.metric = of_others.metric
        and of_group.outcome = of_others.outcome
        and not of_others.is_own
where of_group.is_own
