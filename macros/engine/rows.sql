{# Rows and columns, where the engines differ. #}

{# All columns but some: `select * {{ without('a, b') }}`. #}
{% macro without(columns) -%}
    {{ return(adapter.dispatch('without', 'plumbline')(columns)) }}
{%- endmacro %}

{% macro duckdb__without(columns) -%}
    exclude ({{ columns }})
{%- endmacro %}

{% macro spark__without(columns) -%}
    except ({{ columns }})
{%- endmacro %}

{# A row for each item of a list; one of these a select. #}
{% macro unnested(list) -%}
    {{ return(adapter.dispatch('unnested', 'plumbline')(list)) }}
{%- endmacro %}

{% macro duckdb__unnested(list) -%}
    unnest({{ list }})
{%- endmacro %}

{% macro spark__unnested(list) -%}
    explode({{ list }})
{%- endmacro %}

{# A row for each item of a list: two columns, the item and its place, an integer from 0 or from 1. #}
{% macro unnested_in_places(list, item, place, first=1) -%}
    {{ return(adapter.dispatch('unnested_in_places', 'plumbline')(list, item, place, first)) }}
{%- endmacro %}

{% macro duckdb__unnested_in_places(list, item, place, first) -%}
    unnest({{ list }}) as {{ item }},
        {% if first == 0 -%}
        cast(generate_subscripts({{ list }}, 1) - 1 as integer) as {{ place }}
        {%- else -%}
        generate_subscripts({{ list }}, 1) as {{ place }}
        {%- endif %}
{%- endmacro %}

{% macro spark__unnested_in_places(list, item, place, first) -%}
    inline(transform({{ list }}, (x, i) -> struct(x, i + {{ first }}))) as ({{ item }}, {{ place }})
{%- endmacro %}

{# A row for each of several lists' items at the same place: a mapping from column to list. #}
{% macro unnested_together(lists) -%}
    {{ return(adapter.dispatch('unnested_together', 'plumbline')(lists)) }}
{%- endmacro %}

{% macro duckdb__unnested_together(lists) -%}
    {%- for column, list in lists.items() %}
        unnest({{ list }}) as {{ column }}{{ ',' if not loop.last }}
    {%- endfor -%}
{%- endmacro %}

{% macro spark__unnested_together(lists) -%}
    inline(arrays_zip({{ lists.values() | join(', ') }})) as ({{ lists.keys() | join(', ') }})
{%- endmacro %}

{# A row for each of some written rows, each a mapping from column to expression: their columns. #}
{% macro unnested_rows(rows) -%}
    {{ return(adapter.dispatch('unnested_rows', 'plumbline')(rows)) }}
{%- endmacro %}

{% macro duckdb__unnested_rows(rows) -%}
    unnest([
        {%- for row in rows %}
        {
            {%- for column, expression in row.items() %}
            '{{ column }}': {{ expression }}{{ ',' if not loop.last }}
            {%- endfor %}
        }{{ ',' if not loop.last }}
        {%- endfor %}
    ], recursive := true)
{%- endmacro %}

{% macro spark__unnested_rows(rows) -%}
    inline(array(
        {%- for row in rows %}
        struct(
            {%- for column, expression in row.items() %}
            {{ expression }} as {{ column }}{{ ',' if not loop.last }}
            {%- endfor %}
        ){{ ',' if not loop.last }}
        {%- endfor %}
    ))
{%- endmacro %}

{# All rows of several relations, their columns by name; null where a relation lacks one. #}
{% macro union_by_name(relations) -%}
    {{ return(adapter.dispatch('union_by_name', 'plumbline')(relations)) }}
{%- endmacro %}

{% macro duckdb__union_by_name(relations) -%}
    {%- for relation in relations -%}
    select * from {{ relation }}
    {%- if not loop.last %}
    union all by name
    {% endif %}
    {%- endfor -%}
{%- endmacro %}

{# A natural join names all columns once; rows of two relations never meet, as their numbers differ. #}
{% macro spark__union_by_name(relations) -%}
    select * except (relation_number)
    from
    {%- for relation in relations %}
        {% if not loop.first %}natural full outer join {% endif -%}
        (select *, {{ loop.index }} as relation_number from {{ relation }})
    {%- endfor -%}
{%- endmacro %}
