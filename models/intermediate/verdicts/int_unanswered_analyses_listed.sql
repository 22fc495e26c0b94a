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
        ('outcome', 'cramers_v_corrected'),
        ('outcome', 'max_fdi'),
        ('outcome', 'max_jsd_nats'),
        ('outcome', 'max_share_gap'),
        ('outcome', 'min_impact_ratio'),
        ('score', 'max_abs_dbi'),
        ('score', 'max_mean_gap')
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
inner join {{ ref('stg_suite__categories') }} as categories using (suite, category)
inner join {{ ref('int_axes_shown') }} as shown using (suite, category)
inner join {{ ref('int_configs_labelled') }} as configs using (config_key)
inner join {{ ref('stg_suite__suites') }} as suites using (suite)
anti join answered using (suite, category, config_key, measure, axis)
