{# The columns that this model's contract lists, in its order, less `without`: those that the select computes itself.
   A column is so named once, in the YAML. A unit test knows no contract: there it is every column that comes in. #}
{% macro contract_columns(without=[]) -%}
    {%- set listed = model.columns.values() | map(attribute='name') | list if model.columns else [] -%}
    {%- if listed -%}
        {{ listed | reject('in', without) | join(', ') }}
    {%- else -%}
        columns(name -> name not in ({{ ([''] + without) | map('tojson') | join(', ') | replace('"', "'") }}))
    {%- endif -%}
{%- endmacro %}
