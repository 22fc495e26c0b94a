{# A number as `rounded`, with more decimals where it would look like a limit, or like another number, that it lies
   beside: 0.79967 is not 0.800. Two numbers that are both rounded may look alike within 0.001, and from 1,000 on,
   where `rounded` has no decimals, within 1. #}
{% macro rounded_apart(expression, limits, within=0.0005) -%}
    case
        when
            abs({{ expression }}) >= 0.000001
            and (
            {% for limit in limits -%}
                {{ 'or ' if not loop.first }}(
                    abs({{ expression }} - {{ limit }})
                    < case when abs({{ expression }}) < 999.5 then {{ within }} else {{ 1000 * within }} end
                    and abs({{ expression }} - {{ limit }}) > {{ limit_slack(limit) }}
                )
            {% endfor -%}
            )
            then replace({{ fixed_text(expression, 6) }}, '-', '−')
        else {{ rounded(expression) }}
    end
{%- endmacro %}
