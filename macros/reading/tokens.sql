{# The words of a text, in order (SPEC 12): composed and in small letters, each number one placeholder, nothing
   but letters at either end. A word's letters may be joined by single hyphens, apostrophes or, in abbreviations,
   dots. English endings ('s, n't) and the parts of cannot and its like are words of their own, as in the Penn
   Treebank; so positions are those of tools that split as it does. Scripts that write no spaces are not split.
   `tokeniser` is an expression: `words`, or `treebank`, which like that tokeniser leaves he/she and a dot without a
   space behind it unsplit. #}
{% macro tokens(text, tokeniser) -%}
    {%- set plain = "translate(" ~ lowered(composed(text)) ~ ", '’‐‑', '''--')" -%}
    {%- set numbered = all_replaced(plain, pattern('\\p{N}+([.,:]\\p{N}+)*'), 'NUMBER') -%}
    {%- set unjoined = all_replaced(numbered, pattern("(n't|'(?:s|m|d|ll|re|ve))\\b"), ' \\1') -%}
    {%- set prepared = all_replaced(
        unjoined,
        pattern('\\b(?:(can)(not)|(gim|lem)(me)|(gon|wan)(na)|(got)(ta))\\b'),
        '\\1\\3\\5\\7 \\2\\4\\6\\8'
    ) -%}
    {%- set spaced = all_replaced(prepared, pattern('(\\p{L}\\p{L})\\.'), '\\1 ') -%}
    case
        when {{ tokeniser }} = 'treebank'
            then {{ all_matches(prepared, pattern("(?:\\p{L}[\\p{L}\\p{M}]*['./-])*\\p{L}[\\p{L}\\p{M}]*")) }}
        else {{ all_matches(spaced, pattern("(?:\\p{L}[\\p{L}\\p{M}]*['.-])*\\p{L}[\\p{L}\\p{M}]*")) }}
    end
{%- endmacro %}
