-- Grain: one row per pair_key, category, measure, axis, metric: two configs, or two runs of one, side by
-- side. A browser opens the rows of every pair, so only the first ones, findings and single attributes
-- leading, are shown.
{%- set most_rows = 4000 %}
with differences as (
    select * from {{ ref('fct_config_differences') }}
    where not is_control
),

categories as (
    {{ category_titles() }}
),

metrics as (
    {{ metric_titles() }}
),

told as (
    select
        differences.*,
        left(md5(concat_ws(chr(31), differences.suite, compared, config_a, config_b)), 10) as pair_key,
        left(md5(concat_ws(chr(31), differences.suite, compared, config_a)), 8) as a_key,
        left(md5(concat_ws(chr(31), differences.suite, 'configs', config_b)), 8) as b_key,
        differences.suite || '-' || differences.category as category_slug,
        case
            when compared = 'configs'
                then differences.suite || '-' || differences.category || '-' || left(md5(config_a), 8)
        end as responses_a_slug,
        differences.suite || '-' || differences.category || '-' || left(md5(config_b), 8) as responses_b_slug,
        categories.title as category_title,
        categories.category_position,
        coalesce(metrics.title, differences.metric) as metric_title,
        length(axis) - length(replace(axis, '&', '')) + 1 as n_attributes,
        case state when 'worse' then 1 when 'better' then 2 when 'no_evidence' then 3 else 4 end as state_rank
    from differences
    inner join categories using (suite, category)
    left join metrics using (metric)
),

ranked as (
    select
        *,
        count(*) over (partition by pair_key) as n_of_pair,
        row_number() over (
            order by
                compared desc, least(state_rank, 3) asc, n_attributes asc, suite asc, config_a asc,
                config_b asc, category_position asc, measure asc, axis asc, metric asc
        ) as position
    from told
)

select
    {{ contract_columns() }}
from ranked
where position <= {{ most_rows }}
