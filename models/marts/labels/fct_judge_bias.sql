-- Grain: one row per suite, category, judge, attribute, group_a, group_b, label.
with summed as (
    select
        suite,
        category,
        judge,
        attribute,
        group_a,
        group_b,
        label,
        is_simulated,
        cast(sum(n_texts) as bigint) as n_texts,
        cast(sum(n_changed) as bigint) as n_changed,
        sum(total_a) as total_a,
        sum(total_b) as total_b,
        cast(sum(n_lost_a) as bigint) as n_lost_a,
        cast(sum(n_lost_b) as bigint) as n_lost_b
    from {{ ref('int_judge_shifts_listed') }}
    group by suite, category, judge, attribute, group_a, group_b, label, is_simulated
),

joined as (
    select
        summed.*,
        {{ ratio('summed.total_a', 'summed.n_texts') }} as value_a,
        {{ ratio('summed.total_b', 'summed.n_texts') }} as value_b,
        {{ ratio('summed.n_changed', 'summed.n_texts') }} as changed_share,
        resampled.value,
        resampled.ci_low,
        resampled.ci_high,
        resampled.null_p05,
        resampled.null_p95,
        resampled.p_value,
        coalesce(resampled.n_units, 0) as n_units,
        resampled.min_attainable_p
    from summed
    left join {{ ref('int_judge_shifts_resampled') }} as resampled
        using (suite, category, judge, attribute, group_a, group_b, label)
),

adjusted as (
    {{ with_adjusted_p('joined', 'p_value', ['suite', 'judge']) }}
)

select
    suite,
    category,
    judge,
    attribute,
    group_a,
    group_b,
    label,
    is_simulated,
    n_texts,
    n_lost_a,
    n_lost_b,
    n_units,
    n_changed,
    changed_share,
    {{ wilson('n_changed', 'n_texts', 'low') }} as changed_low,
    {{ wilson('n_changed', 'n_texts', 'high') }} as changed_high,
    value_a,
    value_b,
    value,
    ci_low,
    ci_high,
    null_p05,
    null_p95,
    p_value,
    p_holm,
    min_attainable_p,
    case
        when p_holm is null then 'not_tested'
        when {{ meets('p_holm', '<=', significance_level()) }} then 'reads_groups'
        when {{ meets('min_attainable_p * n_tests', '>', significance_level()) }} then 'too_few'
        else 'none_found'
    end as finding,
    1 as metric_version
from adjusted
