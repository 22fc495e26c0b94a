{# Selected: at least the standard (SPEC 9.1). #}
{% macro method_larger(standard, slack, parameters, mode) -%}
    value >= {{ standard }} - {{ slack }}
{%- endmacro %}
