{# 1 - cosine of two vectors of equal length, from 0 to 2; null for a zero vector (SPEC MEA-2). #}
{% macro distance_cosine(a, b, parameters=none) -%}
    (1 - {{ cosine_similarity(a, b) }})
{%- endmacro %}
