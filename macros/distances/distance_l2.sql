{# Euclidean distance of two vectors of equal length; null for a zero vector (SPEC MEA-2). #}
{% macro distance_l2(a, b, parameters=none) -%}
    {{ return(adapter.dispatch('distance_l2', 'plumbline')(a, b)) }}
{%- endmacro %}

{% macro duckdb__distance_l2(a, b) -%}
    case
        when list_inner_product({{ a }}, {{ a }}) > 0 and list_inner_product({{ b }}, {{ b }}) > 0
            then {{ finite("list_distance(" ~ a ~ ", " ~ b ~ ")") }}
    end
{%- endmacro %}
