{# Observed less expected in standard errors, given both margins (Haberman 1973). Null where a margin is 0 or all there is. #}
{% macro adjusted_residual(n_cell, n_group, n_outcome, n) -%}
    {{ ratio(
        n_cell ~ ' - ' ~ ratio(n_group ~ ' * ' ~ n_outcome, n),
        'sqrt(' ~ ratio(n_group ~ ' * ' ~ n_outcome, n)
        ~ ' * (1 - ' ~ ratio(n_group, n) ~ ') * (1 - ' ~ ratio(n_outcome, n) ~ '))'
    ) }}
{%- endmacro %}
