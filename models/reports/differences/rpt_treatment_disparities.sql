-- Grain: one row per treatment_key, category, measure, axis, metric: how far groups differ without a change
-- and with it. Only the first rows, mitigations and single attributes leading, are shown.
{%- set most_rows = 3000 %}
with treatments as (
    select
        treatment_key,
        suite,
        treatment_kind,
        treatment,
        config_control,
        config_treated
    from {{ ref('rpt_treatments') }}
),

differences as (
    select * from {{ ref('fct_config_differences') }}
    where compared = 'configs' and not is_control and value_a is not null and value_b is not null
),

metrics as (
    {{ metric_titles() }}
),

-- Two configs are compared in the order of their names; here the control comes first.
turned as (
    select
        treatments.treatment_key,
        treatments.treatment_kind,
        treatments.treatment,
        differences.* {{ without('difference, ci_low, ci_high, null_median, null_p05, null_p95, state') }},
        treatments.config_control = differences.config_a as is_control_first,
        differences.difference,
        differences.ci_low,
        differences.ci_high,
        differences.null_median,
        differences.state
    from differences
    inner join treatments
        on
            differences.suite = treatments.suite
            and (
                (
                    differences.config_a = treatments.config_control
                    and differences.config_b = treatments.config_treated
                )
                or (
                    differences.config_b = treatments.config_control
                    and differences.config_a = treatments.config_treated
                )
            )
),

told as (
    select
        turned.treatment_key,
        turned.treatment_kind,
        turned.treatment,
        turned.suite,
        turned.category,
        turned.suite || '-' || turned.category as category_slug,
        turned.measure,
        turned.axis,
        length(turned.axis) - length(replace(turned.axis, '&', '')) + 1 as n_attributes,
        turned.metric,
        coalesce(metrics.title, turned.metric) as metric_title,
        turned.direction,
        turned.unit,
        case when turned.is_control_first then turned.value_a else turned.value_b end as value_control,
        case when turned.is_control_first then turned.value_b else turned.value_a end as value_treated,
        case when turned.is_control_first then turned.difference else -turned.difference end
            as change, -- noqa: RF04
        case when turned.is_control_first then turned.ci_low else -turned.ci_high end as ci_low,
        case when turned.is_control_first then turned.ci_high else -turned.ci_low end as ci_high,
        case when turned.is_control_first then turned.null_median else -turned.null_median end as null_median,
        turned.p_value,
        turned.p_holm,
        turned.n_tests,
        case
            when turned.state not in ('better', 'worse') then turned.state
            when (turned.state = 'better') = turned.is_control_first then 'reduced'
            else 'increased'
        end as state,
        turned.n_pairs,
        turned.resampling_unit,
        turned.n_units
    from turned
    left join metrics using (metric)
),

ranked as (
    select
        *,
        row_number() over (
            order by
                treatment_kind asc, n_attributes asc, suite asc, treatment asc, treatment_key asc,
                category asc, measure asc, axis asc, metric asc
        ) as position
    from told
)

select
    {{ contract_columns() }}
from ranked
where position <= {{ most_rows }}
