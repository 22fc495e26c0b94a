{# Standard deviation over groups with divisor K - ddof (SPEC DIS-4). #}
{% macro disparity_standard_deviation(parameters) -%}
    {{ return({
        'value': 'case when n_groups > 1 then ' ~ ('deviation_sample' if parameters['ddof'] == '1' else 'deviation') ~ ' end',
        'status': "'single_group'",
        'bound': 'null'
    }) }}
{%- endmacro %}
