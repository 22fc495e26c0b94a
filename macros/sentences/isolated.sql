{# A name for a sentence. One with letters written from right to left is set apart from what stands around it (Unicode's
   isolates): else the numbers after it are shown before it. #}
{% macro isolated(name) -%}
    case
        when {{ matches(name, pattern('[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFF]')) }}
            then '{{ "\u2068" }}' || {{ name }} || '{{ "\u2069" }}'
        else {{ name }}
    end
{%- endmacro %}
