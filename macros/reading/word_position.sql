{# Number of characters before the leftmost place where a phrase of letters, digits and _ stands as a whole word,
   whatever its case; -1 where there is none. What match_position says of such a phrase, without compiling a
   pattern for each text. #}
{% macro word_position(text, phrase) -%}
    instr(
        ' ' || {{ all_replaced(lowered(text), pattern('[^\\p{L}\\p{M}\\p{N}_]'), ' ') }} || ' ',
        ' ' || {{ lowered(phrase) }} || ' '
    ) - 1
{%- endmacro %}
