{# Mean over all values that are compared (SPEC 9.1). #}
{% macro standard_mean(parameters) -%}
    avg(value)
{%- endmacro %}
