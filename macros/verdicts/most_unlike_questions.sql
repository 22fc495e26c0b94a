{# The share of a group's answers to questions that others were asked less often, above which no test can tell the groups from
   the questions. Names that are each asked half of eight questions, drawn at random, differ by 0.18 on average. #}
{% macro most_unlike_questions() -%}
    0.25
{%- endmacro %}
