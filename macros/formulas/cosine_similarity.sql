{# Cosine of two vectors of equal length; null for a zero vector (SPEC MEA-2). #}
{% macro cosine_similarity(a, b) -%}
    case
        when {{ inner_product(a, a) }} > 0 and {{ inner_product(b, b) }} > 0
            then {{ finite(cosine(a, b)) }}
    end
{%- endmacro %}
