{# Selected: no farther from the standard than a share of its size, or of the signed standard as SAGED has it (SPEC 9.1). #}
{% macro method_within_percentage(standard, slack, parameters, mode) -%}
    {%- if parameters['of'] == 'absolute' -%}
    {{ meets('abs(value - ' ~ standard ~ ')', '<=', parameters['share'] ~ ' * abs(' ~ standard ~ ')', slack) }}
    {%- elif parameters['of'] == 'signed' -%}
    {{ standard }} >= 0
    and {{ meets('abs(value - ' ~ standard ~ ')', '<=', parameters['share'] ~ ' * ' ~ standard, slack) }}
    {%- else -%}
    {{ exceptions.raise_compiler_error('within_percentage: no such parameters: ' ~ parameters) }}
    {%- endif -%}
{%- endmacro %}
