{# Where each member of a JSON object stands in it, from 0: a row each, as `members` gives them. #}
{% macro positions(json) -%}
    cast(generate_subscripts(json_keys({{ json }}), 1) - 1 as integer)
{%- endmacro %}
