{# Cosine of two vectors of equal length; null for a zero vector (SPEC MEA-2). #}
{% macro cosine_similarity(a, b) -%}
    {{ return(adapter.dispatch('cosine_similarity', 'plumbline')(a, b)) }}
{%- endmacro %}

{# DuckDB says -1 where a vector is zero. #}
{% macro duckdb__cosine_similarity(a, b) -%}
    case
        when list_inner_product({{ a }}, {{ a }}) > 0 and list_inner_product({{ b }}, {{ b }}) > 0
            then {{ finite("list_cosine_similarity(" ~ a ~ ", " ~ b ~ ")") }}
    end
{%- endmacro %}
