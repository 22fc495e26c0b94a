{# A share that rounding may have lifted above 1; null stays null, which least() of DuckDB would skip. #}
{% macro at_most_one(expression) -%}
    case when {{ expression }} > 1 then 1 else {{ expression }} end
{%- endmacro %}
