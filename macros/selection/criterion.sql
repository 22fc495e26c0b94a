{# Parameters of a selection rate: who counts as selected. #}
{% macro criterion(standard, method) -%}
    'standard=' || {{ standard }} || ';method=' || {{ method }}
{%- endmacro %}
