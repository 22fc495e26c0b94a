{# Dixon's ratio at one end, or the larger of both (SPEC DIS-8, 10.1): r10 for 3 to 7 groups, r11 to 10, r21 to 13,
   r22 to 30. `ascending` lists the values. #}
{% macro disparity_dixon(parameters) -%}
    {%- set gap = 'case when n_groups <= 10 then 2 else 3 end' -%}
    {%- set cut = 'case when n_groups <= 7 then 1 when n_groups <= 13 then 2 else 3 end' -%}
    {%- set from_above = list_length('ascending') ~ ' + 1 - ' -%}
    {%- set low = ratio(
        item_at('ascending', gap) ~ ' - lowest', item_at('ascending', from_above ~ cut) ~ ' - lowest'
    ) -%}
    {%- set high = ratio(
        'highest - ' ~ item_at('ascending', from_above ~ gap), 'highest - ' ~ item_at('ascending', cut)
    ) -%}
    {%- set expressions = {
        'low': low,
        'high': high,
        'both': 'greatest(' ~ low ~ ', ' ~ high ~ ')',
    } -%}
    {{ return({
        'value': 'case when n_groups between 3 and 30 and not is_equal then ' ~ expressions[parameters['end']] ~ ' end',
        'status': "case when n_groups < 2 then 'single_group' when n_groups between 3 and 30 then 'zero_denominator' else 'n_out_of_range' end",
        'bound': '1'
    }) }}
{%- endmacro %}
