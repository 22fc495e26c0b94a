{# The columns that every row of a comparison carries: what was asked, and who the two sides are. #}
{% macro config_run_columns(relation, a, b) -%}
    {{ relation }}.compared,
    {{ relation }}.suite,
    {{ relation }}.domain,
    {{ relation }}.category,
    {{ a }}.config as config_a,
    {{ a }}.model as model_a,
    {{ a }}.role as role_a,
    {{ b }}.config as config_b,
    {{ b }}.model as model_b,
    {{ b }}.role as role_b,
    {{ relation }}.is_simulated
{%- endmacro %}
