{# Standard deviation with divisor n - ddof (SPEC SUM-4). #}
{% macro statistic_standard_deviation(parameters) -%}
    {% if parameters['ddof'] == '1' %}stddev_samp(value){% else %}stddev_pop(value){% endif %}
{%- endmacro %}
