{# Whether a query has the columns of its model's contract. DuckDB is asked once, for what the query gives; dbt's own
   check asks twice, and is left to say what differs. #}
{% macro contract_kept(sql) -%}
    {%- set given = {} -%}
    {%- for column in adapter.get_column_schema_from_query(get_empty_subquery_sql(sql)) -%}
        {%- do given.update({column.name | lower: column.dtype | lower}) -%}
    {%- endfor -%}
    {%- set listed = {} -%}
    {%- for column in model.columns.values() -%}
        {%- do listed.update({column.name | lower: (column.data_type or '') | lower}) -%}
    {%- endfor -%}
    {%- if given != listed -%}
        {{- get_assert_columns_equivalent(sql) -}}
    {%- endif -%}
{%- endmacro %}
