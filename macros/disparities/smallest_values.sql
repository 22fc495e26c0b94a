{# The n smallest values of a group, ascending; fewer where there are fewer. #}
{% macro smallest_values(expression, n, condition) -%}
    {{ return(adapter.dispatch('smallest_values', 'plumbline')(expression, n, condition)) }}
{%- endmacro %}

{% macro duckdb__smallest_values(expression, n, condition) -%}
    min({{ expression }}, {{ n }}) filter ({{ condition }})
{%- endmacro %}
