{# Difference of two quantiles, given as shares (SPEC SUM-8). #}
{% macro statistic_quantile_range(parameters) -%}
    {%- if parameters['low'] | float >= parameters['high'] | float -%}
        {{ exceptions.raise_compiler_error('A quantile range needs low < high, not ' ~ parameters) }}
    {%- endif -%}
    {{ quantile('value', parameters['high'] | float) }} - {{ quantile('value', parameters['low'] | float) }}
{%- endmacro %}
