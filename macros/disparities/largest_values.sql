{# The n largest values of a group, descending; fewer where there are fewer. #}
{% macro largest_values(expression, n, condition) -%}
    {{ return(adapter.dispatch('largest_values', 'plumbline')(expression, n, condition)) }}
{%- endmacro %}

{% macro duckdb__largest_values(expression, n, condition) -%}
    max({{ expression }}, {{ n }}) filter ({{ condition }})
{%- endmacro %}
