{# Cosine of two vectors of equal length; null for a zero vector (SPEC MEA-2). #}
{% macro cosine_similarity(a, b) -%}
    {{ return(adapter.dispatch('cosine_similarity', 'plumbline')(a, b)) }}
{%- endmacro %}

{% macro duckdb__cosine_similarity(a, b) -%}
    {{ finite("list_cosine_similarity(" ~ a ~ ", " ~ b ~ ")") }}
{%- endmacro %}
