{# Pairs of list 1 that list 2 has in the same order, or whose second it lacks, / K (K - 1) / 2, K the longer
   list. Equal lists give 1, also of one item. LangFair's divides by K (K + 1): (K - 1) / (2 (K + 1)). #}
{% macro recommendation_prag(positions, n_1, n_2, as_langfair=false) -%}
    {%- set k = 'greatest(' ~ n_1 ~ ', ' ~ n_2 ~ ')' -%}
    {%- set agreeing_seconds -%}
    filter({{ items_after(positions, 'rank') }}, y -> x is not null and (y is null or y > x))
    {%- endset -%}
    {%- set agreeing = list_total(mapped_in_places(positions, 'x', 'rank', list_length(agreeing_seconds))) -%}
    case
        when {{ k }} = 1 then cast({{ n_known_items(positions) }} as double)
        else {{ ratio(agreeing, k ~ ' * (' ~ k ~ ' + 1)' if as_langfair else k ~ ' * (' ~ k ~ ' - 1) / 2') }}
    end
{%- endmacro %}
