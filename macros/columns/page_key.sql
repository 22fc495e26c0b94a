{# What stands for a stranger's text in the address of a page: `?group=` holds page_key(axis, group_value) and
   `?outcome=` page_key(outcome_set, outcome). #}
{% macro page_key(kind, text) -%}
    left(md5({{ kind }} || ':' || {{ text }}), 8)
{%- endmacro %}
