{# P(X >= k) of a binomial X of n draws with probability p, strictly between 0 and 1. Null where n or k is null. #}
{% macro binomial_upper_tail(k, n, p) -%}
    least(1, list_sum(list_transform(
        range(cast({{ k }} as bigint), cast({{ n }} as bigint) + 1),
        i -> exp(
            lgamma({{ n }} + 1) - lgamma(i + 1) - lgamma({{ n }} - i + 1)
            + i * ln({{ p }}) + ({{ n }} - i) * ln(1 - {{ p }})
        )
    )))
{%- endmacro %}
