{# A p-value for a sentence: a permutation p-value is never 0, so a small one is not printed as 0.000. #}
{% macro p_in_words(expression) -%}
    case when {{ expression }} < 0.001 then '< 0.001' else {{ fixed_text(expression, 3) }} end
{%- endmacro %}
