{# Selected: at least the standard (SPEC 9.1). #}
{% macro method_larger(standard, slack, parameters, mode) -%}
    {{ meets('value', '>=', standard, slack) }}
{%- endmacro %}
