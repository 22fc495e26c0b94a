{# Key of the groups of one axis in one measure under one config: 63 bits of a hash that no version of DuckDB
   changes. Measured values, of which there are millions, are grouped by small integers instead. #}
{% macro analysis_key(config, measure_kind, measure) -%}
    cast(md5_number_lower(cast(json_array(
        {{ measure_kind }}, {{ config }}.suite, {{ config }}.category, {{ config }}.config_key, {{ config }}.axis,
        {{ measure }}
    ) as varchar)) >> 1 as bigint)
{%- endmacro %}
