-- Grain: one row per suite, category, config, axis, metric: how far groups differ in how much their lists
-- are like those of the reference group; without one, how far pairs of groups differ in it.
with compared as (
    select
        *,
        case when comparison = 'neutral' then group_value else group_a || ' and ' || group_b end as groups,
        case
            when comparison = 'neutral' and group_value = group_a then group_b
            when comparison = 'neutral' then group_a
        end as reference_group
    from {{ ref('fct_recommendations') }}
    where not is_control and spread_status = 'ok' and value is not null
),

spreads as (
    select
        suite,
        category,
        config,
        axis,
        metric,
        comparison,
        max(reference_group) as reference_group,
        -- What differs by rounding alone ties: its last digits are the engine's.
        max_by(groups, (round(value, 9), groups)) as groups_high,
        min_by(groups, (round(value, 9), groups)) as groups_low,
        max(value) as value_high,
        min(value) as value_low,
        {%- for column in ['snsr', 'snsr_high', 'snsr_null_p95', 'snsv', 'snsv_high', 'snsv_null_p95'] %}
        max({{ column }}) as {{ column }},
        {%- endfor %}
        max(n_values) as n_values,
        cast(sum(n_pairs) as bigint) as n_pairs
    from compared
    group by suite, category, config, axis, metric, comparison
),

chosen as (
    select
        *,
        row_number() over (partition by suite, category, config, axis, metric order by comparison) as place
    from spreads
),

titles as (
    {{ metric_titles() }}
)

select
    {{ contract_columns(without=['category_slug', 'responses_slug', 'metric_title']) }},
    {{ page_slugs() }},
    titles.title as metric_title
from chosen
inner join titles using (metric)
where chosen.place = 1
