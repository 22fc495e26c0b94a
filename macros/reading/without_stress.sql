{# A text with spaces in the place of Markdown's underscores around words (`_Yes_`, `__Yes__`), as long as it was. Between
   letters they join what is one name, as in `yes_or_no`. #}
{% macro without_stress(text) -%}
    {%- set spaced = namespace(text=text) -%}
    {%- for marks in ['_', '__', '___'] -%}
        {%- set spaced.text = all_replaced(spaced.text, pattern('(^|[^\\p{L}\\p{M}\\p{N}_])_'), '\\1 ') -%}
        {%- set spaced.text = all_replaced(spaced.text, pattern('_($|[^\\p{L}\\p{M}\\p{N}_])'), ' \\1') -%}
    {%- endfor -%}
    case when contains({{ text }}, '_') then {{ spaced.text }} else {{ text }} end
{%- endmacro %}
