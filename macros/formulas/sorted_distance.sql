{# Wasserstein-1 distance of two samples of equal size, an aggregate: mean of abs(sorted a - sorted b)
   (SPEC TX-5). Rows in which one of the two is missing are to be left out by `condition`. #}
{% macro sorted_distance(a, b, condition) -%}
    {{ list_mean(list_gaps(ordered_list(a, a, condition), ordered_list(b, b, condition))) }}
{%- endmacro %}
