{# Smallest over largest value (SPEC DIS-3, DIS-6); `values=any` as SAGED, signed values too. #}
{% macro disparity_ratio(parameters) -%}
    {{ return({
        'value': 'case when n_groups > 1' ~ (' and lowest >= 0' if parameters['values'] == 'non_negative' else '')
            ~ ' then ' ~ ratio('lowest', 'highest') ~ ' end',
        'status': "case when n_groups < 2 then 'single_group' when highest = 0 then 'zero_max' else 'not_applicable' end",
        'bound': "1" if parameters['values'] == 'non_negative' else 'null'
    }) }}
{%- endmacro %}
