{# A table's descriptions into the database, in one statement where a contract says that its columns are there;
   dbt's own way asks twice for the columns, and then tells them one by one. #}
{% macro comments_kept(relation) -%}
    {%- if not config.get('contract').enforced -%}
        {%- do persist_docs(relation, model) -%}
    {%- else -%}
        {%- set comments = [] -%}
        {%- if config.persist_relation_docs() and model.description -%}
            {%- do comments.append(alter_relation_comment(relation, model.description)) -%}
        {%- endif -%}
        {%- if config.persist_column_docs() -%}
            {%- for column in model.columns.values() if column.description -%}
                {%- set name = adapter.quote(column.name) if column.quote else column.name -%}
                {%- do comments.append(
                    'comment on column ' ~ relation ~ '.' ~ name ~ ' is ' ~ duckdb_escape_comment(column.description) ~ ';'
                ) -%}
            {%- endfor -%}
        {%- endif -%}
        {%- if comments -%}
            {%- do run_query(comments | join('\n')) -%}
        {%- endif -%}
    {%- endif -%}
{%- endmacro %}
