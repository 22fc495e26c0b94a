{# Number of characters before the leftmost match; the pattern's first group is what stands before the phrase. #}
{% macro match_position(text, pattern) -%}
    {%- set placed = "'^(.*?)' || " ~ pattern -%}
    length({{ matched_part(text, placed, 1, 'is') }})
    + length({{ matched_part(text, placed, 2, 'is') }})
{%- endmacro %}
