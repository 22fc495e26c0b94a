{# Variance with divisor n - ddof (SPEC SUM-4). #}
{% macro statistic_variance(parameters) -%}
    {% if parameters['ddof'] == '1' %}var_samp(value){% else %}var_pop(value){% endif %}
{%- endmacro %}
