-- Units that a bound needs, a group or all groups together: as `ingest.inference.constants` has it.
{% macro fewest_units_bounded(of) -%}
    {{ {'group': 5, 'axis': 10}[of] }}
{%- endmacro %}
