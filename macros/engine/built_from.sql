{# What each model was made of, as raw tables were then. Commands refuse marts of which it is not known, or older.
   It is kept beside DuckDB's marts, which are what commands read. #}
{% macro built_from() -%}
    {{ api.Relation.create(database=target.get('database'), schema=target.schema, identifier='built_from') }}
{%- endmacro %}
