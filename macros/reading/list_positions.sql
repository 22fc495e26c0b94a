{# Where each item of a JSON list stands in it, from 0: a row each, as `unnest` gives them. #}
{% macro list_positions(json) -%}
    cast(generate_subscripts(cast({{ json }} as json[]), 1) - 1 as integer)
{%- endmacro %}
