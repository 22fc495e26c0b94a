{# A quantile, linearly interpolated between order statistics (numpy's default). #}
{% macro quantile(expression, q) -%}
    {{ return(adapter.dispatch('quantile', 'plumbline')(expression, q)) }}
{%- endmacro %}

{% macro duckdb__quantile(expression, q) -%}
    quantile_cont({{ expression }}, {{ q }})
{%- endmacro %}

{% macro default__quantile(expression, q) -%}
    percentile({{ expression }}, {{ q }})
{%- endmacro %}
