{# Pairs of list 1 that list 2 has in the same order, or whose second it lacks, / K (K - 1) / 2, K the longer
   list. Equal lists give 1, also of one item. LangFair's divides by K (K + 1): (K - 1) / (2 (K + 1)). #}
{% macro recommendation_prag(positions, n_1, n_2, as_langfair=false) -%}
    {%- set k = 'greatest(' ~ n_1 ~ ', ' ~ n_2 ~ ')' -%}
    {%- set agreeing -%}
        list_sum(list_transform(list_zip({{ positions }}, range(1, {{ n_1 }} + 1)), lambda x: len(list_filter(
            list_slice({{ positions }}, x[2] + 1, {{ n_1 }}), lambda y: x[1] is not null and (y is null or y > x[1])
        ))))
    {%- endset -%}
    case
        when {{ k }} = 1 then cast(list_count({{ positions }}) as double)
        else {{ ratio(agreeing, k ~ ' * (' ~ k ~ ' + 1)' if as_langfair else k ~ ' * (' ~ k ~ ' - 1) / 2') }}
    end
{%- endmacro %}
