{# Where a value lies against a threshold's limits; null where it cannot be told. A profile without a red
   limit has no red. #}
{% macro threshold_colour(value, direction, green_limit, red_limit) -%}
    case
        when not coalesce({{ is_finite(value) }}, false) then null
        when {{ direction }} = 'higher_is_worse' and {{ meets(value, '<', green_limit) }} then 'green'
        when {{ direction }} = 'higher_is_worse' and {{ meets(value, '>', red_limit) }} then 'red'
        when {{ direction }} = 'lower_is_worse' and {{ meets(value, '>=', green_limit) }} then 'green'
        when {{ direction }} = 'lower_is_worse' and {{ meets(value, '<', red_limit) }} then 'red'
        else 'between'
    end
{%- endmacro %}
