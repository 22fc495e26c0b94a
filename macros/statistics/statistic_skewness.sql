{# Skewness (SPEC SUM-5): bias-adjusted as in the paper, or the biased moment ratio g1. `deviation` is a value less the mean
   of its group: the engine sums raw powers, of which nothing is left where the mean is many deviations from 0. #}
{% macro statistic_skewness(parameters) -%}
    {%- if parameters['estimator'] not in ('adjusted', 'moment') -%}
        {{ exceptions.raise_compiler_error('skewness: no such estimator: ' ~ parameters['estimator']) }}
    {%- endif -%}
    {%- set skewness = adjusted_skewness('deviation') -%}
    {%- if parameters['estimator'] == 'moment' -%}
        {%- set skewness = skewness ~ ' * (count(value) - 2) / sqrt(count(value) * (count(value) - 1.0))' -%}
    {%- endif -%}
    case when min(value) < max(value) and count(value) >= 3 then
        {#- Of what is symmetric, rounding leaves a number on either side of 0. #}
        case when abs({{ skewness }}) < 1e-12 then 0 else {{ finite(skewness) }} end
    end
{%- endmacro %}
