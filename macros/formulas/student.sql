{# How many standard errors Student's 95 % interval reaches on either side, by degrees of freedom; NULL below 1,
   where a sample tells next to nothing. From 2 on the Cornish-Fisher expansion (Abramowitz & Stegun 1964, 26.7.5),
   within 1 %; between 1 and 2 a curve from the exact 12.706 to the exact 4.303, at most 3 % too far. #}
{% macro student(freedom) -%}
    {%- set z = 1.959963984540054 -%}
    {%- set terms = [
        (z ** 3 + z) / 4,
        (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96,
        (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384,
        (79 * z ** 9 + 776 * z ** 7 + 1482 * z ** 5 - 1920 * z ** 3 - 945 * z) / 92160,
    ] -%}
    case
        when {{ freedom }} >= 2
            then
                {{ z }}
                {%- for term in terms %} + {{ term }} / power({{ freedom }}, {{ loop.index }}){% endfor %}
        when {{ freedom }} >= 1 then 12.706 * power({{ 4303 / 12706 }}, 2 - 2e0 / ({{ freedom }}))
    end
{%- endmacro %}
