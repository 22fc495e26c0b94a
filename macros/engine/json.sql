{# JSON, where the engines differ. A path is `a`, `a.b` or `[0]`; none is the whole. What a list or an object holds is JSON on
   DuckDB and text on Spark, where a text stands without its quotes: take values from both by json_text. #}

{# What stands at a path, as text; null where nothing does. #}
{% macro json_text(json, path=none) -%}
    {{ return(adapter.dispatch('json_text', 'plumbline')(json, path)) }}
{%- endmacro %}

{% macro duckdb__json_text(json, path) -%}
    ({{ json }} ->> '{{ json_path(path) }}')
{%- endmacro %}

{% macro spark__json_text(json, path) -%}
    {% if path %}get_json_object({{ json }}, '{{ json_path(path) }}'){% else %}{{ json }}{% endif %}
{%- endmacro %}

{% macro json_path(path) -%}
    ${{ '.' if path and not path.startswith('[') }}{{ path or '' }}
{%- endmacro %}

{# What stands at a path, as JSON. #}
{% macro json_part(json, path=none) -%}
    {{ return(adapter.dispatch('json_part', 'plumbline')(json, path)) }}
{%- endmacro %}

{% macro duckdb__json_part(json, path) -%}
    {% if path %}({{ json }} -> '{{ json_path(path) }}'){% else %}{{ json }}{% endif %}
{%- endmacro %}

{% macro spark__json_part(json, path) -%}
    {{ spark__json_text(json, path) }}
{%- endmacro %}

{# A list of texts at a path. #}
{% macro json_texts(json, path=none) -%}
    {{ return(adapter.dispatch('json_texts', 'plumbline')(json, path)) }}
{%- endmacro %}

{% macro duckdb__json_texts(json, path) -%}
    cast({{ json_part(json, path) }} as varchar[])
{%- endmacro %}

{% macro spark__json_texts(json, path) -%}
    from_json({{ json_part(json, path) }}, 'array<string>')
{%- endmacro %}

{# A list of JSON at a path; the whole may be text. #}
{% macro json_items(json, path=none) -%}
    {{ return(adapter.dispatch('json_items', 'plumbline')(json, path)) }}
{%- endmacro %}

{% macro duckdb__json_items(json, path) -%}
    cast({% if path %}{{ json_part(json, path) }}{% else %}cast({{ json }} as json){% endif %} as json[])
{%- endmacro %}

{% macro spark__json_items(json, path) -%}
    {{ spark__json_texts(json, path) }}
{%- endmacro %}

{# The members of an object at a path, in its order: a list of structs of `key` and `value`. #}
{% macro json_members(json, path=none) -%}
    {{ return(adapter.dispatch('json_members', 'plumbline')(json, path)) }}
{%- endmacro %}

{% macro duckdb__json_members(json, path) -%}
    map_entries(cast({{ json_part(json, path) }} as map(varchar, json)))
{%- endmacro %}

{% macro spark__json_members(json, path) -%}
    map_entries(from_json({{ json_part(json, path) }}, 'map<string, string>'))
{%- endmacro %}

{# Texts and numbers as the text of a JSON list. #}
{% macro json_list(items) -%}
    {{ return(adapter.dispatch('json_list', 'plumbline')(items)) }}
{%- endmacro %}

{% macro duckdb__json_list(items) -%}
    cast(json_array({{ items | join(', ') }}) as varchar)
{%- endmacro %}

{% macro spark__json_list(items) -%}
    to_json(array({{ items | join(', ') }}))
{%- endmacro %}

{# Expressions by name as the text of a JSON object, nulls included. #}
{% macro json_object(members) -%}
    {{ return(adapter.dispatch('json_object', 'plumbline')(members)) }}
{%- endmacro %}

{% macro duckdb__json_object(members) -%}
    cast(to_json({
        {%- for name, expression in members.items() %}
        '{{ name }}': {{ expression }}{{ ',' if not loop.last }}
        {%- endfor %}
    }) as varchar)
{%- endmacro %}

{% macro spark__json_object(members) -%}
    to_json(struct(
        {%- for name, expression in members.items() %}
        {{ expression }} as {{ name }}{{ ',' if not loop.last }}
        {%- endfor %}
    ), map('ignoreNullFields', 'false'))
{%- endmacro %}

{# What an object at a path holds under a key, which is an expression, as text. #}
{% macro json_entry(json, path, key) -%}
    {{ return(adapter.dispatch('json_entry', 'plumbline')(json, path, key)) }}
{%- endmacro %}

{% macro duckdb__json_entry(json, path, key) -%}
    json_extract_string({{ json }}, '$.{{ path }}."' || {{ key }} || '"')
{%- endmacro %}

{% macro spark__json_entry(json, path, key) -%}
    element_at(from_json(get_json_object({{ json }}, '$.{{ path }}'), 'map<string, string>'), {{ key }})
{%- endmacro %}

{# An object without one of its members, as text. #}
{% macro json_without(json, member) -%}
    {{ return(adapter.dispatch('json_without', 'plumbline')(json, member)) }}
{%- endmacro %}

{% macro duckdb__json_without(json, member) -%}
    cast(json_merge_patch({{ json }}, '{"{{ member }}": null}') as varchar)
{%- endmacro %}

{% macro spark__json_without(json, member) -%}
    to_json(map_filter(from_json({{ json }}, 'map<string, string>'), (name, value) -> name <> '{{ member }}'))
{%- endmacro %}
