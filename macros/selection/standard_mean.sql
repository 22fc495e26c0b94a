{# Mean over all values that are compared (SPEC 9.1), the same in any order: it is a limit that values are held to. #}
{% macro standard_mean(parameters) -%}
    {{ exact_mean('value') }}
{%- endmacro %}
