{# What Plumbline's command says of the build that it runs (ingest/provenance.py): version, commit, hash. dbt alone
   does not know it. #}
{% macro build_said(name, type='string') -%}
    {%- set value = fromjson(env_var('PLUMBLINE_BUILD', '') or '{}').get(name) -%}
    cast({% if value is none %}null{% else %}'{{ value | string | replace("'", "''") }}'{% endif %} as {{ type }})
{%- endmacro %}
