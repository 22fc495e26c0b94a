{# Arithmetic mean (SPEC SUM-1). #}
{% macro statistic_mean(parameters) -%}
    avg(value)
{%- endmacro %}
