-- Grain: one row per pair_key, category, measure, axis, metric, group_value: what one group gets from two
-- configs, or from two runs of one. Only the first rows, of single attributes and pairs with a finding, are
-- shown.
{%- set most_rows = 6000 %}
with differences as (
    select
        *,
        left(md5(concat_ws(chr(31), suite, compared, config_a, config_b)), 10) as pair_key,
        length(axis) - length(replace(axis, '&', '')) + 1 as n_attributes
    from {{ ref('fct_config_group_differences') }}
    where not is_control and status = 'ok'
),

found as (
    select
        pair_key,
        min(state_rank) as state_rank
    from {{ ref('rpt_config_differences') }}
    group by pair_key
),

ranked as (
    select
        differences.*,
        row_number() over (
            order by
                differences.compared desc, differences.n_attributes asc, found.state_rank asc,
                differences.suite asc, differences.config_a asc, differences.config_b asc,
                differences.category asc, differences.measure asc, differences.axis asc,
                differences.group_value asc
        ) as position
    from differences
    inner join found using (pair_key)
)

select
    {{ contract_columns() }}
from ranked
where position <= {{ most_rows }}
