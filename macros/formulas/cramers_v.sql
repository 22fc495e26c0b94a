{# Cramér's V from an uncorrected chi-square; k = min(rows, columns) (SPEC FS-2). Rounding lifts it no higher than 1. #}
{% macro cramers_v(chi_square, n, k) -%}
    sqrt({{ at_most_one(ratio(chi_square, n ~ ' * (' ~ k ~ ' - 1)')) }})
{%- endmacro %}
