{# Excess kurtosis (SPEC SUM-6): bias-adjusted as in the paper, or the biased moment ratio g2. `deviation` is a value less the
   mean of its group: the engine sums raw powers, of which nothing is left where the mean is many deviations from 0. #}
{% macro statistic_kurtosis(parameters) -%}
    {%- if parameters['estimator'] not in ('adjusted', 'moment') -%}
        {{ exceptions.raise_compiler_error('kurtosis: no such estimator: ' ~ parameters['estimator']) }}
    {%- endif -%}
    case when min(value) < max(value) and count(value) >= 4 then
        {{ finite(adjusted_kurtosis('deviation') if parameters['estimator'] == 'adjusted' else moment_kurtosis('deviation')) }}
    end
{%- endmacro %}
