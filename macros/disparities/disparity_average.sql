{# Unweighted mean over groups (SPEC DIS-4). #}
{% macro disparity_average(parameters) -%}
    {{ return({'value': 'average', 'status': "'ok'", 'bound': 'null'}) }}
{%- endmacro %}
