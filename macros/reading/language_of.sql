{# The language of a code such as `en-SG`; one name for those that nobody tells apart in a sentence (`CLOSE` in
   ingest/suite/fields.py, which tests/warehouse/test_languages.py holds this against). #}
{% macro language_of(code) -%}
    {%- set language = "split_part(lower(" ~ code ~ "), '-', 1)" -%}
    case
        when {{ language }} in ('id', 'ms') then 'ms'
        when {{ language }} in ('bs', 'hr', 'sr') then 'hr'
        when {{ language }} in ('nb', 'nn', 'no') then 'no'
        else {{ language }}
    end
{%- endmacro %}
