{# Smallest over largest value (SPEC DIS-3, DIS-6); `values=any` as SAGED, signed values too: there the largest may be 0
   but for rounding, beside a negative one. #}
{% macro disparity_ratio(parameters) -%}
    {%- set is_nothing = 'abs(highest) <= 1e-12 * abs(lowest)' -%}
    {{ return({
        'value': 'case when n_groups > 1 and '
            ~ ('lowest >= 0' if parameters['values'] == 'non_negative' else 'not ' ~ is_nothing)
            ~ ' then ' ~ ratio('lowest', 'highest') ~ ' end',
        'status': "case when n_groups < 2 then 'single_group' when "
            ~ ('highest = 0' if parameters['values'] == 'non_negative' else is_nothing)
            ~ " then 'zero_max' else 'not_applicable' end",
        'bound': "1" if parameters['values'] == 'non_negative' else 'null'
    }) }}
{%- endmacro %}
