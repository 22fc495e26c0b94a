{# An end of Katz's 95 % log interval of a ratio of two proportions a/n1 over b/n2 (SPEC INF-5).
   For independent samples only; null where a or b is 0. #}
{% macro katz(a, n1, b, n2, end) -%}
    {%- set sign = '-' if end == 'low' else '+' -%}
    case when {{ a }} > 0 and {{ b }} > 0 then exp(
        ln({{ ratio(ratio(a, n1), ratio(b, n2)) }})
        {{ sign }} 1.959963984540054 * sqrt(greatest(0, {{ ratio('1', a) }} - {{ ratio('1', n1) }} + {{ ratio('1', b) }} - {{ ratio('1', n2) }}))
    ) end
{%- endmacro %}
