{# Before a build: nothing is known of the nodes that it makes, until it has ended well. `inputs` and `content` are what
   Plumbline's own build finds by what has changed (ingest/warehouse/changes.py); dbt alone makes all that is asked. #}
{% macro inputs_forgotten() -%}
    {%- if execute and target.type == 'duckdb' and flags.WHICH in ('build', 'run', 'seed', 'snapshot') %}
        {%- set models = quoted_nodes(selected_resources, 'model.') %}
        {%- set others = quoted_nodes(selected_resources, ('seed.', 'snapshot.')) %}
        create table if not exists {{ built_from() }} (model varchar primary key, answers varchar, earlier varchar);
        alter table {{ built_from() }} add column if not exists inputs varchar;
        alter table {{ built_from() }} add column if not exists content varchar;
        delete from {{ built_from() }}
        where model not in ({{ quoted_nodes(graph.nodes.keys()) }}) {{- ' or model in (' ~ others ~ ')' if others }};
        {%- if models %}
        insert or replace into {{ built_from() }}
        select unnest([{{ models }}]), null, null, null, null;
        {%- endif %}
    {%- endif %}
{%- endmacro %}
