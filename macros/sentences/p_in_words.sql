{# A p-value for a sentence: a permutation p-value is never 0, so a small one is not printed as 0.000,
   nor one beside a limit as that limit. #}
{% macro p_in_words(expression, limits=()) -%}
    case
        when {{ expression }} < 0.001 then '< 0.001'
        else {{ rounded_apart(expression, (significance_level(),) + limits) }}
    end
{%- endmacro %}
