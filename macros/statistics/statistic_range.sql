{# Largest minus smallest value (SPEC SUM-7). #}
{% macro statistic_range(parameters) -%}
    max(value) - min(value)
{%- endmacro %}
