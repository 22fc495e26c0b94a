{# The SHA-256 of a relation's rows, as a query in brackets: of these columns, whatever the order of the rows.
   Columns are texts, or what a cast makes one text of on every engine; numbers go through `as_decimal_text`.
   Hashes that begin alike are put together first: those of ten million rows in one text would take 4 GB. #}
{% macro rows_hash(relation, columns) -%}
(
        select {{ sha256_of("coalesce(" ~ ordered_text('row_hash', "''", 'prefix') ~ ", '')") }}
        from (
            select
                left(row_hash, 3) as prefix,
                {{ sha256_of(ordered_text('row_hash', "''", 'row_hash')) }} as row_hash
            from (
                select {{ sha256_of(json_list(texts_of(columns))) }} as row_hash
                from {{ relation }}
            ) as hashed
            group by left(row_hash, 3)
        ) as put_together
    )
{%- endmacro %}

{% macro texts_of(columns) -%}
    {%- set texts = [] -%}
    {%- for column in columns -%}
        {%- do texts.append('cast(' ~ column ~ ' as string)') -%}
    {%- endfor -%}
    {{ return(texts) }}
{%- endmacro %}

{# A double to nine decimals: an engine's own text of it is another on another engine. #}
{% macro as_decimal_text(number) -%}
    cast(try_cast({{ number }} as decimal(38, 9)) as string)
{%- endmacro %}

{% macro sha256_of(text) -%}
    {{ return(adapter.dispatch('sha256_of', 'plumbline')(text)) }}
{%- endmacro %}

{% macro duckdb__sha256_of(text) -%}
    sha256({{ text }})
{%- endmacro %}

{% macro spark__sha256_of(text) -%}
    sha2({{ text }}, 256)
{%- endmacro %}
