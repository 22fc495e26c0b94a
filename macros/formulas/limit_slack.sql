{# By how much a number may miss a limit and still tie with it: a quotient or an average differs from the same number
   written out in its last digits (SPEC CON-3). #}
{% macro limit_slack(limit) -%}
    1e-9 * greatest(1, abs({{ limit }}))
{%- endmacro %}
