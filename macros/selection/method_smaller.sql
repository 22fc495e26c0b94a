{# Selected: at most the standard (SPEC 9.1). #}
{% macro method_smaller(standard, parameters, mode) -%}
    value <= {{ standard }} + {{ standard_slack(standard) }}
{%- endmacro %}
