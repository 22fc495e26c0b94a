{# Stops where a suite was brought in by version 0.1: what its file says is not in `definition` yet. #}
{% macro check_suites() -%}
    {%- if execute %}
        {%- set suites = source('raw', 'suites') %}
        {%- set columns = adapter.get_columns_in_relation(suites) | map(attribute='name') | list %}
        {%- set waiting = 'where definition is null' if 'definition' in columns %}
        {%- for row in run_query('select suite from ' ~ suites ~ ' ' ~ waiting ~ ' order by suite').rows if columns %}
            {{- exceptions.raise_compiler_error(
                "The suite '" ~ row['suite'] ~ "' was brought in by version 0.1, which kept suites in another form: "
                ~ "run `plumbline extract --suite FILE` with its file, then build again."
            ) }}
        {%- endfor %}
    {%- endif %}
{%- endmacro %}
