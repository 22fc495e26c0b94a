{# Before a build: nothing is known of the models that it makes, until it has ended well (inputs_recorded). #}
{% macro inputs_forgotten() -%}
    {%- if execute and target.type == 'duckdb' and flags.WHICH in ('build', 'run') %}
        {%- set selected = quoted_models(selected_resources) %}
        create table if not exists {{ built_from() }} (model varchar primary key, answers varchar, earlier varchar);
        delete from {{ built_from() }}
        where model not in ({{ quoted_models(graph.nodes.keys()) }});
        {%- if selected %}
        insert or replace into {{ built_from() }}
        select unnest([{{ selected }}]), null, null;
        {%- endif %}
    {%- endif %}
{%- endmacro %}
