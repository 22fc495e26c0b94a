{# Median over all values that are compared (SPEC 9.1). #}
{% macro standard_median(parameters) -%}
    {{ quantile('value', 0.5) }}
{%- endmacro %}
