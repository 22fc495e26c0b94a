{# Bias-corrected Cramér's V (Bergsma 2013): near 0 where groups do not differ, however many cells. #}
{% macro cramers_v_corrected(chi_square, n, n_rows, n_columns) -%}
    sqrt({{ at_most_one(ratio(
        'greatest(0, ' ~ ratio(chi_square, n) ~ ' - ' ~ ratio('(' ~ n_rows ~ ' - 1) * (' ~ n_columns ~ ' - 1)', n ~ ' - 1') ~ ')',
        'least('
        ~ n_rows ~ ' - 1 - ' ~ ratio('power(' ~ n_rows ~ ' - 1, 2)', n ~ ' - 1') ~ ', '
        ~ n_columns ~ ' - 1 - ' ~ ratio('power(' ~ n_columns ~ ' - 1, 2)', n ~ ' - 1') ~ ')'
    )) }})
{%- endmacro %}
