{# The smallest value of a group (SPEC DIS-1). #}
{% macro disparity_min(parameters) -%}
    {{ return({'value': 'lowest', 'status': "'ok'", 'bound': 'null'}) }}
{%- endmacro %}
