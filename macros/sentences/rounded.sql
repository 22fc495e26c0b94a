{# A number as text with three decimals, for sentences on pages only. #}
{% macro rounded(expression) -%}
    replace(printf('%.3f', {{ expression }}), '-', '−')
{%- endmacro %}
