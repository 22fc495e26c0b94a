{# Wasserstein-1 distance of two samples of equal size, an aggregate: mean of abs(sorted a - sorted b)
   (SPEC TX-5). Rows in which one of the two is missing are to be left out by `condition`. #}
{% macro sorted_distance(a, b, condition) -%}
    list_avg(list_transform(
        list_zip(
            list({{ a }} order by {{ a }}) filter ({{ condition }}),
            list({{ b }} order by {{ b }}) filter ({{ condition }})
        ),
        pair -> abs(pair[1] - pair[2])
    ))
{%- endmacro %}
