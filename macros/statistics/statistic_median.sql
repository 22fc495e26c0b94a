{# Midpoint of the two middle values (SPEC SUM-2). #}
{% macro statistic_median(parameters) -%}
    {{ quantile('value', 0.5) }}
{%- endmacro %}
