{# Number of characters before the leftmost match; the pattern's first group is what stands before the phrase. #}
{% macro match_position(text, pattern) -%}
    length(regexp_extract({{ text }}, '^(.*?)' || {{ pattern }}, 1, 'is'))
    + length(regexp_extract({{ text }}, '^(.*?)' || {{ pattern }}, 2, 'is'))
{%- endmacro %}
