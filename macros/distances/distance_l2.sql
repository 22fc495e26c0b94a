{# Euclidean distance of two vectors of equal length; null for a zero vector (SPEC MEA-2). #}
{% macro distance_l2(a, b, parameters=none) -%}
    case
        when {{ inner_product(a, a) }} > 0 and {{ inner_product(b, b) }} > 0
            then {{ finite(straight_distance(a, b)) }}
    end
{%- endmacro %}
