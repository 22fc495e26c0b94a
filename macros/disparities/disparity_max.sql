{# The largest value of a group (SPEC DIS-1). #}
{% macro disparity_max(parameters) -%}
    {{ return({'value': 'highest', 'status': "'ok'", 'bound': 'null'}) }}
{%- endmacro %}
