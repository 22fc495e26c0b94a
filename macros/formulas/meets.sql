{# Whether a number is <, <=, > or >= a limit, where equal up to the slack is equal: (36/60) / (45/60) is not below 0.8.
   `slack` is given where it is computed once for many numbers. #}
{% macro meets(value, operator, limit, slack=none) -%}
    {%- if operator not in ('<', '<=', '>', '>=') -%}
        {{ exceptions.raise_compiler_error("meets: operator must be <, <=, > or >=, not " ~ operator) }}
    {%- endif -%}
    {{ value }} {{ operator }} {{ limit }} {{ '-' if operator in ('<', '>=') else '+' }} {{ slack or limit_slack(limit) }}
{%- endmacro %}
