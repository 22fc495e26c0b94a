{# Largest minus smallest value (SPEC DIS-2). #}
{% macro disparity_range(parameters) -%}
    {{ return({
        'value': 'case when n_groups > 1 then highest - lowest end',
        'status': "'single_group'",
        'bound': 'case when is_share then 1 end'
    }) }}
{%- endmacro %}
