{# Rows of a seed, as mappings, in the order of its integer key: what a model is generated from. `parameters`
   ("low=0.25;high=0.75") becomes a mapping, beside `parameters_text`. The model says `-- depends_on` itself: in a unit test ref() is a fixture,
   while the definitions stay those of the seed. #}
{% macro declared_rows(seed, id, where='true') -%}
    {%- set rows = [] -%}
    {%- if execute -%}
        {#- An importing project may give it a schema of its own; a unit test knows no graph. #}
        {%- set nodes = graph.get('nodes', {}) -%}
        {%- set node = nodes.get('seed.plumbline.' ~ seed) or nodes.get('model.plumbline.' ~ seed) -%}
        {%- set schema = node.schema if node else target.schema -%}
        {%- set relation = adapter.get_relation(target.get('database'), schema, seed) -%}
        {%- if relation is none -%}
            {{ exceptions.raise_compiler_error('The table ' ~ seed ~ ' is not there yet: run dbt build.') }}
        {%- endif -%}
        {%- set found = run_query('select * from ' ~ relation ~ ' where ' ~ where ~ ' order by ' ~ id) -%}
        {%- for values in found.rows -%}
            {%- set row = dict(zip(found.column_names, values.values())) -%}
            {%- set parameters = {} -%}
            {%- for part in (row['parameters'] or '').split(';') if part -%}
                {%- do parameters.update({part.split('=')[0]: part.split('=')[1]}) -%}
            {%- endfor -%}
            {%- do row.update({'parameters': parameters, 'parameters_text': row['parameters'] or ''}) -%}
            {%- do rows.append(row) -%}
        {%- endfor -%}
    {%- endif -%}
    {{ return(rows) }}
{%- endmacro %}
