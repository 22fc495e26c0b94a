{# After a build: what its models were made of, where every model and test of it ended well. #}
{% macro inputs_recorded(results) -%}
    {%- if execute and target.type == 'duckdb' and flags.WHICH in ('build', 'run') %}
        {%- set state = source('raw', 'suites').incorporate(path={'identifier': 'content_state'}) %}
        {#- What an adapter's own methods ask begins a transaction, and a hook's changes would go with it. #}
        {%- set there = run_query(
            "select 1 from duckdb_views() where view_name = 'content_state' and database_name = '"
            ~ state.database ~ "' and schema_name = '" ~ state.schema ~ "'"
        ).rows %}
        {%- set failed = results | rejectattr('status', 'in', ['success', 'pass', 'warn', 'no-op']) | list %}
        {%- set made = quoted_nodes(results | map(attribute='node.unique_id') | list, 'model.') %}
        {%- if there and made and not failed %}
        update {{ built_from() }}
        set
            answers = (select state from {{ state }} where part = 'answers'),
            earlier = (select state from {{ state }} where part = 'earlier')
        where model in ({{ made }});
        {%- endif %}
    {%- endif %}
{%- endmacro %}
