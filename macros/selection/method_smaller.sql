{# Selected: at most the standard (SPEC 9.1). #}
{% macro method_smaller(standard, slack, parameters, mode) -%}
    {{ meets('value', '<=', standard, slack) }}
{%- endmacro %}
