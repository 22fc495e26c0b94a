{# Rate of values above a threshold in a, less that in b, an aggregate (SPEC TX-5, weak). Equal is not above. #}
{% macro rate_difference(a, b, threshold, condition) -%}
    avg(cast({{ meets(a, '>', threshold) }} as integer) - cast({{ meets(b, '>', threshold) }} as integer))
        filter (where {{ condition }})
{%- endmacro %}
