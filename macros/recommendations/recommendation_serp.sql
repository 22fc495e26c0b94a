{# How high list 1 ranks what list 2 has too: 2 × sum of (K - rank + 1) / (K (K + 1)), K the longer list. Equal
   lists give 1. LangFair's counts K - rank + 2 and halves the sum: equal lists give (K + 3) / (4 (K + 1)). #}
{% macro recommendation_serp(positions, n_1, n_2, as_langfair=false) -%}
    {%- set k = 'greatest(' ~ n_1 ~ ', ' ~ n_2 ~ ')' -%}
    {%- set height = 'case when x is null then 0 else ' ~ k ~ ' - rank + ' ~ ('2' if as_langfair else '1') ~ ' end' -%}
    {{ ratio(
        ('0.5' if as_langfair else '2') ~ ' * ' ~ list_total(mapped_in_places(positions, 'x', 'rank', height)),
        k ~ ' * (' ~ k ~ ' + 1)'
    ) }}
{%- endmacro %}
