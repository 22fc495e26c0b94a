{# Selected: no farther from the standard than the range (SPEC 9.1). #}
{% macro method_within_range(standard, parameters, mode) -%}
    abs(value - {{ standard }}) <= {{ parameters['range'] }} + {{ standard_slack(standard) }}
{%- endmacro %}
