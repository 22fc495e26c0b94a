{# Selected: no farther from the standard than the range (SPEC 9.1). #}
{% macro method_within_range(standard, slack, parameters, mode) -%}
    {{ meets('abs(value - ' ~ standard ~ ')', '<=', parameters['range'], slack) }}
{%- endmacro %}
