{# An end of Wilson's 95 % interval of a share of answers that are not independent: each counts for what it is worth.
   The query has `weighed` beside its rows, see weighed_shares. #}
{% macro weighed_wilson(n_selected, n, end) -%}
    {%- set worth = ' * coalesce(weighed.answer_worth, 1)' -%}
    {{ wilson(n_selected ~ worth, n ~ worth, end) }}
{%- endmacro %}
