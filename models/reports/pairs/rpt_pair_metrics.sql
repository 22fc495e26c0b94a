-- Grain: one row per pairs_slug, metric, feature, group_a, group_b: counterfactual similarity of the pairs of
-- groups that differ most, at most so many of each metric. fct_counterfactual_similarity holds all.
{%- set most_pairs = 15 %}
{%- set most_rows = 8000 %}
with similarities as (
    select * from {{ ref('fct_counterfactual_similarity') }}
    where not is_control
),

categories as (
    {{ category_titles() }}
),

metrics as (
    {{ metric_titles() }}
),

ordered as (
    select
        similarities.*,
        metrics.title as metric_title,
        declared.metric_id as metric_position,
        declared.metric_kind,
        coalesce(categories.title, '') as category_title,
        coalesce(categories.category_position, 0) as category_position,
        -- Further from the floor comes first, and without one further from equal treatment.
        row_number() over (
            partition by
                similarities.suite, similarities.category, similarities.config, similarities.axis,
                similarities.metric, similarities.feature
            order by
                -- What differs by rounding alone ties: its last digits are the engine's.
                round(case
                    when declared.metric_kind = 'similarity'
                        then coalesce(similarities.contrast, similarities.value)
                    else -abs(coalesce(similarities.contrast, similarities.value))
                end, 9) asc nulls last,
                similarities.group_a asc,
                similarities.group_b asc
        ) as pair_position
    from similarities
    inner join metrics using (metric)
    inner join {{ ref('pair_metrics') }} as declared using (metric)
    left join categories using (suite, category)
),

numbered as (
    select
        *,
        row_number() over (
            order by
                suite asc, category_position asc, category asc, config asc, axis asc, metric_position asc,
                feature asc, pair_position asc
        ) as position
    from ordered
    where pair_position <= {{ most_pairs }}
)

select
    {{ contract_columns(without=['pairs_slug']) }},
    suite || '-' || category || '-' || left(md5(config || '|' || axis), 8) as pairs_slug
from numbered
where position <= {{ most_rows }}
