-- Grain: one row per profile, suite, category, config, measure, axis, metric, group_value, with words for a page.
with verdicts as (
    select * from {{ ref('fct_verdicts') }}
),

categories as (
    select distinct
        suite,
        category,
        category_position,
        title
    from {{ ref('dim_categories') }}
),

metrics as (
    select * from {{ ref('dim_metrics') }}
),

worded as (
    select
        verdicts.*,
        categories.title as category_title,
        categories.category_position,
        coalesce(metrics.title, verdicts.metric) as metric_title,
        case verdicts.verdict
            when 'fail' then 1 when 'monitor' then 2 when 'inconclusive' then 3 when 'pass' then 4 else 5
        end as verdict_rank
    from verdicts
    inner join categories
        on
            verdicts.suite = categories.suite
            and verdicts.category = categories.category
    left join metrics
        on
            verdicts.metric = metrics.metric
            and verdicts.metric_version = metrics.metric_version
)

select
    {{ page_slugs() }},
    suite,
    profile,
    is_gate_profile,
    category,
    category_title,
    category_position,
    config,
    is_simulated,
    measure,
    axis,
    metric,
    metric_title,
    group_value,
    value,
    unit,
    ci_low,
    ci_high,
    null_p05,
    null_median,
    null_p95,
    p_value,
    p_holm,
    n_tests,
    green_limit,
    red_limit,
    direction,
    verdict,
    verdict_rank,
    reason,
    config || ', ' || category || ' ' || lower(category_title) || ', by ' || axis
    || case when group_value <> '' then ' (' || group_value || ')' else '' end || ': ' || metric_title || ' '
    || coalesce({{ rounded('value') }}, 'not computable')
    || case
        when metric = 'chi_square_p' then ''
        when ci_low is null then ' (no interval: too few ' || coalesce(resampling_unit, 'unit') || 's)'
        else ' (95 % interval ' || {{ rounded('ci_low') }} || ' to ' || {{ rounded('ci_high') }} || ')'
    end
    || case
        when metric = 'chi_square_p' or null_p95 is null then ''
        when direction = 'lower_is_worse' then '; chance alone goes down to ' || {{ rounded('null_p05') }}
        else '; chance alone goes up to ' || {{ rounded('null_p95') }}
    end
    || '; ' || n || ' answers.' as sentence,
    n,
    n_groups,
    n_smallest_group,
    resampling_unit,
    n_units,
    min_attainable_p,
    is_control
from worded
