-- Grain: one row per family_id, statistic_key, disparity_id (SPEC 10).
-- depends_on: {{ ref('disparities') }}
{%- set disparities = declared_rows('disparities', 'disparity_id') %}
with shares as (
    select statistic_id as statistic_key
    from {{ ref('statistics') }}
    where unit = 'share'
),

compared as (
    select
        *,
        statistic_key = 0 or statistic_key >= 1000 as is_rate,
        statistic_key = 0
        or statistic_key >= 1000
        or statistic_key in (select statistic_key from shares) as is_share
    from {{ ref('int_group_values_summarised') }}
)

{%- for row in disparities %}
{%- set expression = declared_expression(row) %}
{{ 'union all' if not loop.first }}
select
    family_id,
    statistic_key,
    {{ row['disparity_id'] }} as disparity_id,
    {{ finite(expression['value']) }} as value,
    case
        when {{ finite(expression['value']) }} is not null then 'ok'
        when n_groups = 0 then 'all_missing'
        else {{ expression['status'] }}
    end as status,
    case when n_groups > 1 then cast({{ expression['bound'] }} as double) end as attainable_max
from compared
{%- if row['applies_to'] == 'rates' %}
where is_rate
{%- endif %}
{%- endfor %}
