{# A short name of a verdict that a person can type, the same in every build: its question, its attributes, and eight digits
   of a hash of all that the row is of. Nothing of a stranger's text but letters and digits is in it. #}
{% macro verdict_name(keys) -%}
    {{ all_replaced("category || '-' || axis", pattern('[^A-Za-z0-9]+'), '-') }} || '-' || left(md5({{ json_list(keys) }}), 8)
{%- endmacro %}
