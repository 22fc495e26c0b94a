{# Selected: above the standard, not level with it (6 RCNY 5-301: a score above the sample's median). #}
{% macro method_above(standard, slack, parameters, mode) -%}
    {{ meets('value', '>', standard, slack) }}
{%- endmacro %}
