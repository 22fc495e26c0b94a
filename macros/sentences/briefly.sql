{# A number with three significant digits, for reasons: 0.0834, 1.2. What rounding leaves of 0 is 0. #}
{% macro briefly(expression) -%}
    case
        when abs({{ expression }}) < 1e-12 then '0'
        else replace({{ short_text(expression, digits=3) }}, '-', '−')
    end
{%- endmacro %}
