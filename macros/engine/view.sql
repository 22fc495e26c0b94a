{# A view is replaced in one statement, which DuckDB does as a whole or not at all; dbt's own way, for databases that
   cannot, takes five, and many of this project's models are views. #}
{% materialization view, adapter='duckdb' %}
    {%- set existing = load_cached_relation(this) -%}
    {%- set target_relation = this.incorporate(type='view') -%}
    {{ run_hooks(pre_hooks, inside_transaction=False) }}
    {{ run_hooks(pre_hooks, inside_transaction=True) }}
    {%- if existing is not none and not existing.is_view %}
        {{ drop_relation_if_exists(existing) }}
    {%- endif %}
    {%- call statement('main') %}
        {%- if config.get('contract').enforced %}
            {{ contract_kept(sql) }}
        {%- endif %}
        create or replace view {{ target_relation }} as (
            {{ sql }}
        );
    {%- endcall %}
    {%- do comments_kept(target_relation) %}
    {{ run_hooks(post_hooks, inside_transaction=True) }}
    {{ adapter.commit() }}
    {{ run_hooks(post_hooks, inside_transaction=False) }}
    {{ return({'relations': [target_relation]}) }}
{% endmaterialization %}
