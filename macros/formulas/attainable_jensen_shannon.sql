{# Largest divergence from a mean in which the group itself weighs w: all its answers are ones nobody else gives. #}
{% macro attainable_jensen_shannon(w) -%}
    0.5 * (ln(2 / (1 + {{ w }})) + {{ w }} * ln(2 * {{ w }} / (1 + {{ w }})) + (1 - {{ w }}) * ln(2))
{%- endmacro %}
