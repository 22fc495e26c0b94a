{# Sum of absolute differences of two vectors of equal length; null for a zero vector (SPEC MEA-2). #}
{% macro distance_l1(a, b, parameters=none) -%}
    case
        when {{ inner_product(a, a) }} > 0 and {{ inner_product(b, b) }} > 0
            then {{ finite(list_total(list_gaps(a, b))) }}
    end
{%- endmacro %}
