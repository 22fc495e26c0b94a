{# What the macro that a seed's row names says, given the row's parameters, and other arguments before them. #}
{% macro declared_expression(row) -%}
    {%- if row['macro'] not in context -%}
        {{ exceptions.raise_compiler_error('The seeds name a macro that does not exist: ' ~ row['macro']) }}
    {%- endif -%}
    {{ return(context[row['macro']](*varargs, parameters=row['parameters'], **kwargs)) }}
{%- endmacro %}
