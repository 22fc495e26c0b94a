{# A table is replaced inside one transaction, which DuckDB does as a whole or not at all; dbt's own way makes it
   beside the old one, renames both and drops one, for databases that cannot. A Python model may read what it replaces. #}
{% materialization table, adapter='duckdb', supported_languages=['sql', 'python'] %}
    {%- set existing = load_cached_relation(this) -%}
    {%- set target_relation = this.incorporate(type='table') -%}
    {{ run_hooks(pre_hooks, inside_transaction=False) }}
    {{ run_hooks(pre_hooks, inside_transaction=True) }}
    {%- if model.language == 'python' %}
        {%- set made = make_intermediate_relation(target_relation) %}
        {{ drop_relation_if_exists(load_cached_relation(made)) }}
        {%- call statement('main', language='python') %}
            {{- create_table_as(False, made, compiled_code, 'python') }}
        {%- endcall %}
        {{ drop_relation_if_exists(existing) }}
        {%- do adapter.rename_relation(made, target_relation) %}
    {%- else %}
        {%- if existing is not none and not existing.is_table %}
            {{ drop_relation_if_exists(existing) }}
        {%- endif %}
        {%- call statement('main') %}
            {%- if config.get('contract').enforced %}
                {{ contract_kept(sql) }}
                create or replace table {{ target_relation }} {{ get_table_columns_and_constraints() }};
                insert into {{ target_relation }} {{ get_column_names() }} (
                    {{ get_select_subquery(sql) }}
                );
            {%- else %}
                create or replace table {{ target_relation }} as (
                    {{ sql }}
                );
            {%- endif %}
        {%- endcall %}
    {%- endif %}
    {%- do comments_kept(target_relation) %}
    {{ run_hooks(post_hooks, inside_transaction=True) }}
    {{ adapter.commit() }}
    {{ run_hooks(post_hooks, inside_transaction=False) }}
    {{ return({'relations': [target_relation]}) }}
{% endmaterialization %}
