-- Grain: one row per suite, category, config_key, measure, axis, metric: what a suite asks for and no answer
-- allows. It is judged too, so that silence is a row (SPEC 19).
with planned as (
    select
        suite,
        category,
        case when rule_kind = 'score' then feature else outcome_set end as measure,
        case when rule_kind = 'score' then 'score' else 'outcome' end as measure_kind,
        coalesce(bool_or(is_favourable), false) as is_selectable
    from {{ ref('stg_suite__outcome_rules') }}
    group by all
),

metrics as (
    select
        t.measure_kind,
        t.metric
    from (
        values
        ('outcome', 'chi_square_p'),
        ('outcome', 'cramers_v'),
        ('outcome', 'max_fdi'),
        ('outcome', 'max_jsd_nats'),
        ('outcome', 'min_impact_ratio'),
        ('score', 'max_abs_dbi')
    ) as t (measure_kind, metric)
),

answered as (
    select * from {{ ref('int_analyses_listed') }}
    where n > 0
)

select
    planned.suite,
    categories.domain,
    planned.category,
    configs.config_key,
    configs.config,
    configs.model,
    configs.role,
    configs.is_simulated,
    planned.measure,
    shown.axis,
    {{ axis_kind('shown.n_attributes') }} as axis_kind,
    {{ metric_on_axis('metrics.metric', 'shown.n_attributes') }} as metric,
    '' as group_value,
    0 as n,
    0 as n_groups,
    0 as n_smallest_group,
    suites.minimum_group,
    shown.is_control,
    shown.hidden_attributes
from planned
inner join metrics
    on
        planned.measure_kind = metrics.measure_kind
        and (planned.is_selectable or metrics.metric <> 'min_impact_ratio')
inner join {{ ref('stg_suite__categories') }} as categories
    on
        planned.suite = categories.suite
        and planned.category = categories.category
inner join {{ ref('int_axes_shown') }} as shown
    on
        planned.suite = shown.suite
        and planned.category = shown.category
inner join {{ ref('int_configs_labelled') }} as configs on shown.config_key = configs.config_key
inner join {{ ref('stg_suite__suites') }} as suites on planned.suite = suites.suite
anti join answered
    on
        planned.suite = answered.suite
        and planned.category = answered.category
        and shown.config_key = answered.config_key
        and planned.measure = answered.measure
        and shown.axis = answered.axis
