{# What each model was made of, as raw tables were then. Commands refuse marts of which it is not known, or older. #}
{% macro built_from() -%}
    {{ api.Relation.create(database=target.database, schema=target.schema, identifier='built_from') }}
{%- endmacro %}
