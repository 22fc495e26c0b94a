{# A number as text with three decimals, for sentences on pages only. #}
{% macro rounded(expression) -%}
    replace({{ fixed_text(expression, 3) }}, '-', '−')
{%- endmacro %}
