{# By how much a value may miss a standard computed from values: averages of equal numbers differ from them in the
   last digit (SPEC CON-3). #}
{% macro standard_slack(standard) -%}
    1e-9 * greatest(1, abs({{ standard }}))
{%- endmacro %}
