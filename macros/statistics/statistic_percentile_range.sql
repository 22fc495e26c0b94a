{# Difference of two percentiles (SPEC SUM-8). #}
{% macro statistic_percentile_range(parameters) -%}
    {{ statistic_quantile_range({'low': parameters['low'] | float / 100, 'high': parameters['high'] | float / 100}) }}
{%- endmacro %}
