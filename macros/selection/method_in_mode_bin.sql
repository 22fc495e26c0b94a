{# Selected: in the fullest bin itself (SPEC 9.1); `mode` holds its width and where bins begin. #}
{% macro method_in_mode_bin(standard, slack, parameters, mode) -%}
    {{ bin_of('((value - ' ~ mode['lowest'] ~ ') / ' ~ mode['width'] ~ ')') }}
    = {{ bin_of('((' ~ standard ~ ' - ' ~ mode['lowest'] ~ ') / ' ~ mode['width'] ~ ')') }}
{%- endmacro %}
