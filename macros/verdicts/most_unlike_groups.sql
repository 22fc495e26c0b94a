{# How many times as many answers one group may have as another before a test of counts needs more than relabelling
   (docs/decisions/0022-groups-of-unlike-size.md). `UNLIKE` of ingest/inference/constants.py is the same. #}
{% macro most_unlike_groups() -%}
    1.25
{%- endmacro %}
