{# Total variation distance of two shares over the rows of a group: half the sum of absolute differences. #}
{% macro total_variation(p, q) -%}
    0.5 * sum(abs({{ p }} - {{ q }}))
{%- endmacro %}
