{# Stops where a profile has DuckDB divide by 0: models read the null that SQL gives, not NaN and infinity. #}
{% macro check_division() -%}
    {%- if execute and target.type == 'duckdb' and run_query('select (0::double / 0) is not null').rows[0][0] %}
        {{- exceptions.raise_compiler_error(
            'In this profile DuckDB divides by 0, and numbers would be wrong: write '
            ~ '`settings: {ieee_floating_point_ops: false, threads: 1}` beside `path:` in profiles.yml, then build again.'
        ) }}
    {%- endif %}
{%- endmacro %}
