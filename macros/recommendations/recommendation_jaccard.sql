{# Items of both lists / items of either. `positions`: of each item of list 1, where list 2 has it, or null. #}
{% macro recommendation_jaccard(positions, n_1, n_2) -%}
    {{ ratio(n_known_items(positions), n_1 ~ " + " ~ n_2 ~ " - " ~ n_known_items(positions)) }}
{%- endmacro %}
