{# The members of a JSON object, a row each in its order: a struct of `key` and `value`. #}
{% macro members(json, path=none) -%}
    {{ unnested(json_members(json, path)) }}
{%- endmacro %}
