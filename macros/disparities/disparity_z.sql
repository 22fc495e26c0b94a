{# Distance of an end from the mean of groups in population standard deviations (SPEC DIS-7); at most sqrt(K - 1).
   Groups that differ by rounding alone are equal. #}
{% macro disparity_z(parameters) -%}
    {%- set expressions = {
        'high': 'highest - average',
        'low': 'lowest - average',
        'both': 'greatest(highest - average, average - lowest)',
    } -%}
    {{ return({
        'value': 'case when n_groups > 1 and not is_equal then ' ~ ratio(expressions[parameters['end']], 'deviation') ~ ' end',
        'status': "case when n_groups < 2 then 'single_group' else 'zero_variance' end",
        'bound': ('-' if parameters['end'] == 'low' else '') ~ 'sqrt(greatest(n_groups - 1, 0))'
    }) }}
{%- endmacro %}
