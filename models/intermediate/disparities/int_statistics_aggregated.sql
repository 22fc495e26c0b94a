-- Grain: one row per group_feature_key. One column per row of the seed `statistics` that one pass computes.
-- depends_on: {{ ref('statistics') }}
{%- set statistics = declared_rows('statistics', 'statistic_id', "stage = 'aggregate'") %}
with means as (
    select
        group_feature_key,
        avg(value) as mean
    from {{ ref('int_feature_values_coded') }}
    group by group_feature_key
),

centred as (
    select
        coded.*,
        coded.value - means.mean as deviation
    from {{ ref('int_feature_values_coded') }} as coded
    inner join means on coded.group_feature_key = means.group_feature_key
)

select
    group_feature_key,
    count(value) as n,
    count(*) - count(value) as n_missing,
    count(baseline_value) filter (where value is not null) as n_pairs,
    {%- for statistic in statistics %}
    {{ declared_expression(statistic) }} as s_{{ statistic['statistic_id'] }},
    {%- endfor %}
    min(value) as lowest,
    max(value) as highest,
    min(baseline_value) as baseline_lowest,
    max(baseline_value) as baseline_highest
from centred
group by group_feature_key
