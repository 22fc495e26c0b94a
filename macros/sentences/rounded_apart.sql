{# A number as `rounded`, with more decimals where three would show it as a limit that it lies beside:
   0.79967 is not 0.800. #}
{% macro rounded_apart(expression, limits) -%}
    case
        when
            {% for limit in limits -%}
                {{ 'or ' if not loop.first }}(
                    abs({{ expression }} - {{ limit }}) < 0.0005
                    and abs({{ expression }} - {{ limit }}) > {{ limit_slack(limit) }}
                )
            {% endfor -%}
            then replace({{ fixed_text(expression, 6) }}, '-', '−')
        else {{ rounded(expression) }}
    end
{%- endmacro %}
