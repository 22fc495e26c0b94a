{# The members of a JSON object, a row each in its order: a struct of `key` and `value`. #}
{% macro members(json) -%}
    unnest(map_entries(cast({{ json }} as map(varchar, json))))
{%- endmacro %}
