-- Grain: one row per profile, suite, category, config, measure, axis, metric: the gaps side by side.
with categories as (
    {{ category_titles() }}
),

gate_profiles as (
    select distinct
        profile,
        suite
    from {{ ref('fct_verdicts') }}
    where is_gate_profile
),

-- What does not depend on the gap is the same in each of them.
side_by_side as (
    select
        profile,
        suite,
        category,
        config,
        is_simulated,
        measure,
        axis,
        metric,
        metric_version,
        green_limit,
        red_limit,
        gap_at_limit,
        n_groups,
        n_units,
        n_units * n_prompts_per_unit * n_repeats as n_answers,
        icc,
        icc_source,
        n_effective,
        n_tables,
        {%- for gap in [10, 20, 30] %}
        max(power_to_fail) filter (where gap = {{ gap }} / 100) as power_{{ gap }},
        {%- endfor %}
        max(power_to_pass) filter (where gap = 0) as power_to_pass
    from {{ ref('fct_design_power') }}
    group by all
)

select
    powers.* {{ without('metric_version') }},
    categories.title as category_title,
    categories.category_position,
    coalesce(metrics.title, powers.metric) as metric_title,
    gate_profiles.profile is not null as is_gate_profile,
    {{ page_slugs('powers') }}
from side_by_side as powers
inner join categories using (suite, category)
left join {{ ref('dim_metrics') }} as metrics using (metric, metric_version)
left join gate_profiles using (profile, suite)
