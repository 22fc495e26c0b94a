{# Difference of two proportions a/n1 - b/n2 in standard errors under equality, from the pooled rate (SPEC INF-5): the
   two-standard-deviation rule looks for values beyond -2 and 2. For independent samples only. #}
{% macro pooled_z(a, n1, b, n2) -%}
    {%- set pooled = ratio('(' ~ a ~ ' + ' ~ b ~ ')', '(' ~ n1 ~ ' + ' ~ n2 ~ ')') -%}
    {{ ratio(
        ratio(a, n1) ~ ' - ' ~ ratio(b, n2),
        'sqrt(greatest(0, ' ~ pooled ~ ' * (1 - ' ~ pooled ~ ') * (' ~ ratio('1', n1) ~ ' + ' ~ ratio('1', n2) ~ ')))'
    ) }}
{%- endmacro %}
