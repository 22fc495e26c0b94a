-- Units a group beyond which a plan says that none would do, rather than how many.
{% macro most_units_named() -%}
    10000
{%- endmacro %}
