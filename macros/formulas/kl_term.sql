{# One term of a Kullback-Leibler sum, p ln(p / q), with 0 ln 0 = 0. #}
{% macro kl_term(p, q) -%}
    (case when {{ p }} > 0 then {{ p }} * ln({{ p }} / ({{ q }})) else 0 end)
{%- endmacro %}
