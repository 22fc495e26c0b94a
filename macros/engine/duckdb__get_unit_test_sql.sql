{# dbt's comparison of a unit test's actual and expected rows, with doubles rounded to seven decimals on both sides:
   golden numbers are published so, and the last bits of a logarithm differ between machines. #}
{% macro duckdb__get_unit_test_sql(main_sql, expected_fixture_sql, expected_column_names) -%}
    {%- set types = {} -%}
    {%- for column in adapter.get_column_schema_from_query(get_empty_subquery_sql(main_sql)) -%}
        {%- do types.update({column.name | lower: column.data_type | upper}) -%}
    {%- endfor -%}
    {%- set columns = [] -%}
    {%- for name in expected_column_names -%}
        {%- if types[name | replace('"', '') | lower] == 'DOUBLE' -%}
            {# Adding 0 turns -0.0 into 0.0. #}
            {%- do columns.append('round(cast(' ~ name ~ ' as double), 7) + 0 as ' ~ name) -%}
        {%- else -%}
            {%- do columns.append(name) -%}
        {%- endif -%}
    {%- endfor -%}
    with dbt_internal_unit_test_actual as (
        select
            {{ columns | join(', ') }},
            'actual' as actual_or_expected
        from ({{ main_sql }}) as actual_rows
    ),

    dbt_internal_unit_test_expected as (
        select
            {{ columns | join(', ') }},
            'expected' as actual_or_expected
        from ({{ expected_fixture_sql }}) as expected_rows
    )

    select * from dbt_internal_unit_test_actual
    union all
    select * from dbt_internal_unit_test_expected
{%- endmacro %}
