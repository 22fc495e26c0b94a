{# Key of the groups of one axis in one measure under one config: 63 bits of a hash that no version of an engine
   changes. Measured values, of which there are millions, are grouped by small integers instead. #}
{% macro analysis_key(config, measure_kind, measure) -%}
    {{ number_of(json_list([
        measure_kind, config ~ '.suite', config ~ '.category', config ~ '.config_key', config ~ '.axis', measure
    ])) }}
{%- endmacro %}
