{# A quantile, linearly interpolated between order statistics (numpy's default). #}
{% macro quantile(expression, q) -%}
    {{ return(adapter.dispatch('quantile', 'plumbline')(expression, q)) }}
{%- endmacro %}

{# The usual ones come from one list, for which the engine keeps and orders the values once. #}
{% macro duckdb__quantile(expression, q) -%}
    {%- set usual = [0.25, 0.5, 0.75] -%}
    {%- if q | float in usual -%}
    quantile_cont({{ expression }}, {{ usual }})[{{ usual.index(q | float) + 1 }}]
    {%- else -%}
    quantile_cont({{ expression }}, {{ q }})
    {%- endif -%}
{%- endmacro %}

{% macro default__quantile(expression, q) -%}
    percentile({{ expression }}, {{ q }})
{%- endmacro %}
