{# The value, or null where it is NaN or infinite (SPEC CON-2). #}
{% macro finite(expression) -%}
    (case when {{ is_finite('cast(' ~ expression ~ ' as double)') }} then cast({{ expression }} as double) end)
{%- endmacro %}
