-- Grain: one row per analysis_key, statistic, parameters, disparity_id (SPEC 10).
-- depends_on: {{ ref('disparities') }}
{%- set disparities = declared_rows('disparities', 'disparity_id') %}
with compared as (
    select
        *,
        unit = 'share' as is_share
    from {{ ref('int_group_values_summarised') }}
)

{%- for row in disparities %}
{%- set expression = declared_expression(row) %}
{{ 'union all' if not loop.first }}
select
    analysis_key,
    statistic,
    parameters,
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
where statistic = 'selection_rate'
{%- endif %}
{%- endfor %}
