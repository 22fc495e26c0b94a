{# A number as text with three decimals, for sentences on pages only. What three decimals would show as 0 or 0.001 has
   two digits, and halves go up, whatever rounding left of them, as the site's `show` has it. Only what rounding leaves
   of 0 is 0. From 1,000 on it is whole, as `measured` of the terminal and `show` have it. #}
{% macro rounded(expression) -%}
    {%- set size = '(' ~ expression ~ ') * 1.000000000001e0' -%}
    case
        when abs({{ expression }}) < 1e-12 then '0.000'
        when abs({{ expression }}) < 0.000001 then replace({{ short_text(expression, digits=2) }}, '-', '−')
        {% for decimals in (7, 6, 5) -%}
            when abs({{ expression }}) < {{ '%.6f' % 10 ** (2 - decimals) }}
                then replace({{ fixed_text(size, decimals) }}, '-', '−')
        {% endfor -%}
        when abs({{ expression }}) between 999.5 and 1e15
            then replace({{ with_commas('cast(round(' ~ size ~ ') as bigint)') }}, '-', '−')
        else replace({{ fixed_text(size, 3) }}, '-', '−')
    end
{%- endmacro %}
