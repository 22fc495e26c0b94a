{# Sum of absolute differences of two vectors of equal length; null for a zero vector (SPEC MEA-2). #}
{% macro distance_l1(a, b, parameters=none) -%}
    {{ return(adapter.dispatch('distance_l1', 'plumbline')(a, b)) }}
{%- endmacro %}

{% macro duckdb__distance_l1(a, b) -%}
    case
        when list_inner_product({{ a }}, {{ a }}) > 0 and list_inner_product({{ b }}, {{ b }}) > 0
            then {{ finite("list_sum(list_transform(list_zip(" ~ a ~ ", " ~ b ~ "), lambda x: abs(x[1] - x[2])))") }}
    end
{%- endmacro %}
