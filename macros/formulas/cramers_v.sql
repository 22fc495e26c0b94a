{# Cramér's V from an uncorrected chi-square; k = min(rows, columns) (SPEC FS-2). #}
{% macro cramers_v(chi_square, n, k) -%}
    sqrt({{ ratio(chi_square, n ~ ' * (' ~ k ~ ' - 1)') }})
{%- endmacro %}
