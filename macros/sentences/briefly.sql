{# A number with three significant digits, for reasons: 0.0834, 1.2. #}
{% macro briefly(expression) -%}
    replace({{ short_text(expression, digits=3) }}, '-', '−')
{%- endmacro %}
