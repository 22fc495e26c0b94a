{# P(X >= k) of a binomial X of n draws with probability p, strictly between 0 and 1. Null where n or k is null. #}
{% macro binomial_upper_tail(k, n, p) -%}
    {%- set log_probability -%}
    {{ log_gamma(n ~ ' + 1') }} - {{ log_gamma('i + 1') }} - {{ log_gamma(n ~ ' - i + 1') }}
            + i * ln({{ p }}) + ({{ n }} - i) * ln(1 - {{ p }})
    {%- endset -%}
    least(1, {{ list_total(mapped_items(
        whole_numbers('cast(' ~ k ~ ' as bigint)', 'cast(' ~ n ~ ' as bigint)'), 'i', 'exp(' ~ log_probability ~ ')'
    )) }})
{%- endmacro %}
