{# Excess kurtosis (SPEC SUM-6): bias-adjusted as in the paper, or the biased moment ratio g2. #}
{% macro statistic_kurtosis(parameters) -%}
    {%- if parameters['estimator'] not in ('adjusted', 'moment') -%}
        {{ exceptions.raise_compiler_error('kurtosis: no such estimator: ' ~ parameters['estimator']) }}
    {%- endif -%}
    {{ return(adapter.dispatch('kurtosis_estimate', 'plumbline')(parameters['estimator'])) }}
{%- endmacro %}

{# DuckDB's own is the adjusted one. #}
{% macro duckdb__kurtosis_estimate(estimator) -%}
    case when min(value) < max(value) and count(value) >= 4 then
        {%- if estimator == 'adjusted' %}
        {{ finite('kurtosis(value)') }}
        {%- else %}
        {{ finite('kurtosis_pop(value)') }}
        {%- endif %}
    end
{%- endmacro %}
