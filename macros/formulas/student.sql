{# How many standard errors Student's 95 % interval reaches on either side, by degrees of freedom, at least
   1: the Cornish-Fisher expansion, within 1 % from 2 on. Abramowitz & Stegun (1964), 26.7.5. #}
{% macro student(freedom) -%}
    {%- set z = 1.959963984540054 -%}
    {%- set terms = [
        (z ** 3 + z) / 4,
        (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96,
        (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384,
        (79 * z ** 9 + 776 * z ** 7 + 1482 * z ** 5 - 1920 * z ** 3 - 945 * z) / 92160,
    ] -%}
    ({{ z }}
    {%- for term in terms %} + {{ term }} / power(greatest(1, {{ freedom }}), {{ loop.index }}){% endfor %})
{%- endmacro %}
