{# The value that a map holds under a key, or null. #}
{% macro map_value(map, key) -%}
    {{ return(adapter.dispatch('map_value', 'plumbline')(map, key)) }}
{%- endmacro %}

{% macro duckdb__map_value(map, key) -%}
    {{ map }}[{{ key }}]
{%- endmacro %}

{% macro default__map_value(map, key) -%}
    element_at({{ map }}, {{ key }})
{%- endmacro %}
