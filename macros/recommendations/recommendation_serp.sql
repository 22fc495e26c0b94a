{# How high list 1 ranks what list 2 has too: 2 × sum of (K - rank + 1) / (K (K + 1)), K the longer list. Equal
   lists give 1. LangFair's counts K - rank + 2 and halves the sum: equal lists give (K + 3) / (4 (K + 1)). #}
{% macro recommendation_serp(positions, n_1, n_2, as_langfair=false) -%}
    {%- set k = 'greatest(' ~ n_1 ~ ', ' ~ n_2 ~ ')' -%}
    {{ ratio(
        ("0.5" if as_langfair else "2") ~ " * list_sum(list_transform(list_zip(" ~ positions ~ ", range(1, " ~ n_1 ~ " + 1)), lambda x: "
        ~ "case when x[1] is null then 0 else " ~ k ~ " - x[2] + " ~ ("2" if as_langfair else "1") ~ " end))",
        k ~ " * (" ~ k ~ " + 1)"
    ) }}
{%- endmacro %}
