{# Selected: at least the standard (SPEC 9.1). #}
{% macro method_larger(standard, parameters, mode) -%}
    value >= {{ standard }} - {{ standard_slack(standard) }}
{%- endmacro %}
