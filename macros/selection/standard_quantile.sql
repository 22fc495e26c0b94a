{# A quantile over all values that are compared (SPEC 9.1). #}
{% macro standard_quantile(parameters) -%}
    {{ quantile('value', parameters['q']) }}
{%- endmacro %}
