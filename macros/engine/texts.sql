{# Texts, where the engines differ. #}

{# Whether a pattern matches somewhere in a text. #}
{% macro matches(text, pattern) -%}
    {{ return(adapter.dispatch('matches', 'plumbline')(text, pattern)) }}
{%- endmacro %}

{% macro duckdb__matches(text, pattern) -%}
    regexp_matches({{ text }}, {{ pattern }})
{%- endmacro %}

{# As in DuckDB, only a line feed ends a line. #}
{% macro spark__matches(text, pattern) -%}
    regexp_like({{ text }}, '(?d)' || {{ pattern }})
{%- endmacro %}

{# What a group of a pattern matches in a text, '' where the pattern does not. #}
{% macro matched_part(text, pattern, group) -%}
    {{ return(adapter.dispatch('matched_part', 'plumbline')(text, pattern, group)) }}
{%- endmacro %}

{% macro duckdb__matched_part(text, pattern, group) -%}
    regexp_extract({{ text }}, {{ pattern }}, {{ group }})
{%- endmacro %}

{% macro spark__matched_part(text, pattern, group) -%}
    regexp_extract({{ text }}, '(?d)' || {{ pattern }}, {{ group }})
{%- endmacro %}

{# All matches of a pattern, in order. #}
{% macro all_matches(text, pattern) -%}
    {{ return(adapter.dispatch('all_matches', 'plumbline')(text, pattern)) }}
{%- endmacro %}

{% macro duckdb__all_matches(text, pattern) -%}
    regexp_extract_all({{ text }}, {{ pattern }})
{%- endmacro %}

{% macro spark__all_matches(text, pattern) -%}
    regexp_extract_all({{ text }}, {{ pattern }}, 0)
{%- endmacro %}

{# A text with every match of a pattern replaced; `replacement` is a text in which \1 is the first group. #}
{% macro all_replaced(text, pattern, replacement) -%}
    {{ return(adapter.dispatch('all_replaced', 'plumbline')(text, pattern, replacement)) }}
{%- endmacro %}

{% macro duckdb__all_replaced(text, pattern, replacement) -%}
    regexp_replace({{ text }}, {{ pattern }}, '{{ replacement }}', 'g')
{%- endmacro %}

{% macro spark__all_replaced(text, pattern, replacement) -%}
    regexp_replace({{ text }}, {{ pattern }}, '{{ replacement | replace("\\", "$") }}')
{%- endmacro %}

{# A pattern as a literal. #}
{% macro pattern(written) -%}
    {{ return(adapter.dispatch('pattern', 'plumbline')(written)) }}
{%- endmacro %}

{% macro duckdb__pattern(written) -%}
    '{{ written | replace("'", "''") }}'
{%- endmacro %}

{# A backslash begins an escape in a literal there, and a word that `\b` bounds is of ASCII in DuckDB. #}
{% macro spark__pattern(written) -%}
    {%- set bound = "(?:(?<=\\w)(?!\\w)|(?<!\\w)(?=\\w))" -%}
    '{{ written | replace("[[:space:]]", "\\s") | replace("\\b", bound) | replace("\\", "\\\\") | replace("'", "''") }}'
{%- endmacro %}

{# The parts of a text between separators, which are no pattern. #}
{% macro split_text(text, separator) -%}
    {{ return(adapter.dispatch('split_text', 'plumbline')(text, separator)) }}
{%- endmacro %}

{% macro duckdb__split_text(text, separator) -%}
    string_split({{ text }}, {{ separator }})
{%- endmacro %}

{% macro spark__split_text(text, separator) -%}
    split({{ text }}, '\\Q' || {{ separator }} || '\\E')
{%- endmacro %}

{# A text without some characters at either end. #}
{% macro trimmed(text, characters) -%}
    {{ return(adapter.dispatch('trimmed', 'plumbline')(text, characters)) }}
{%- endmacro %}

{% macro duckdb__trimmed(text, characters) -%}
    trim({{ text }}, {{ characters }})
{%- endmacro %}

{% macro spark__trimmed(text, characters) -%}
    btrim({{ text }}, {{ characters }})
{%- endmacro %}

{# A text whose letters and marks are composed (NFC). DuckDB's function ends at a NUL, so none is left. #}
{% macro composed(text) -%}
    {{ return(adapter.dispatch('composed', 'plumbline')(text)) }}
{%- endmacro %}

{% macro duckdb__composed(text) -%}
    nfc_normalize(replace({{ text }}, chr(0), chr(65533)))
{%- endmacro %}

{# From a library that every Spark brings. #}
{% macro spark__composed(text) -%}
    java_method('com.ibm.icu.text.Normalizer', 'compose', {{ text }}, false)
{%- endmacro %}

{% macro begins_with(text, beginning) -%}
    {{ return(adapter.dispatch('begins_with', 'plumbline')(text, beginning)) }}
{%- endmacro %}

{% macro duckdb__begins_with(text, beginning) -%}
    starts_with({{ text }}, '{{ beginning }}')
{%- endmacro %}

{% macro spark__begins_with(text, beginning) -%}
    startswith({{ text }}, '{{ beginning }}')
{%- endmacro %}

{# A number as text with so many decimals, as C's printf has it. #}
{% macro fixed_text(x, decimals) -%}
    {{ return(adapter.dispatch('fixed_text', 'plumbline')(x, decimals)) }}
{%- endmacro %}

{% macro duckdb__fixed_text(x, decimals) -%}
    printf('%.{{ decimals }}f', {{ x }})
{%- endmacro %}

{% macro spark__fixed_text(x, decimals) -%}
    get(transform(
        array(cast({{ x }} as double)),
        v -> if(string(v) like '-%', '-', if(v is null, null, '')) || format_string('%.{{ decimals }}f', {{ tie_to_even(10 ** decimals ~ 'e0') }})
    ), 0)
{%- endmacro %}

{# A number as text with so many significant digits, no zeros behind, as C's printf has it. #}
{% macro short_text(x, digits=6) -%}
    {{ return(adapter.dispatch('short_text', 'plumbline')(x, digits)) }}
{%- endmacro %}

{% macro duckdb__short_text(x, digits) -%}
    printf('%{{ '' if digits == 6 else '.' ~ digits }}g', {{ x }})
{%- endmacro %}

{% macro spark__short_text(x, digits) -%}
    {%- set scale = 'power(10e0, ' ~ (digits - 1) ~ ' - floor(log10(abs(v))))' -%}
    get(transform(
        array(cast({{ x }} as double)),
        v -> case
            when v is null then null
            when v = 0 then '0'
            when abs(v) >= 1e-4 and abs(v) < 1e{{ digits }}
                then if(v < 0, '-', '')
                || regexp_replace(string(cast({{ tie_to_even(scale) }} as decimal(38, {{ digits + 6 }}))), '\\.?0+$', '')
            else regexp_replace(format_string('%.{{ digits - 1 }}e', v), '\\.?0*e', 'e')
        end
    ), 0)
{%- endmacro %}

{# The size of v rounded to so many parts of 1, what lies in the middle to the even one. A product of doubles is rounded itself:
   v is taken apart, so that the side on which it lies is known. #}
{% macro tie_to_even(parts) -%}
    {%- set whole = 'floor(abs(v) * ' ~ parts ~ ')' -%}
    {%- set high = 'cast(cast(abs(v) as float) as double)' -%}
    {%- set beyond = '(' ~ high ~ ' * ' ~ parts ~ ' - ' ~ whole ~ ' - 0.5e0 + (abs(v) - ' ~ high ~ ') * ' ~ parts ~ ')' -%}
    ({{ whole }} + if({{ beyond }} > 0 or ({{ beyond }} = 0 and {{ whole }} % 2 = 1), 1, 0)) / {{ parts }}
{%- endmacro %}

{# A whole number with commas between thousands. #}
{% macro with_commas(n) -%}
    {{ return(adapter.dispatch('with_commas', 'plumbline')(n)) }}
{%- endmacro %}

{% macro duckdb__with_commas(n) -%}
    format('{:,}', {{ n }})
{%- endmacro %}

{% macro spark__with_commas(n) -%}
    format_number({{ n }}, 0)
{%- endmacro %}

{# A text in small letters, each by itself. #}
{% macro lowered(text) -%}
    {{ return(adapter.dispatch('lowered', 'plumbline')(text)) }}
{%- endmacro %}

{% macro duckdb__lowered(text) -%}
    lower({{ text }})
{%- endmacro %}

{# Two letters become others there: one by two, one by its place in the word. #}
{% macro spark__lowered(text) -%}
    lower(translate({{ text }}, 'İΣ', 'iσ'))
{%- endmacro %}
