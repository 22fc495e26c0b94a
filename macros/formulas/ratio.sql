{# A rate or ratio. Null when it cannot be computed: never 0, never inf, never NaN. #}
{% macro ratio(numerator, denominator) -%}
    (cast({{ numerator }} as double) / nullif(cast({{ denominator }} as double), 0))
{%- endmacro %}
