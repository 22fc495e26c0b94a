{# The most `permutations` that a suite may ask for (ingest/suite/limits.py); a test holds the two together. #}
{% macro most_permutations() -%}
    100000
{%- endmacro %}
