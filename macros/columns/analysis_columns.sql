{# The columns that every row of a result carries: what was asked of which model. #}
{% macro analysis_columns(relation='analyses') -%}
    {{ relation }}.suite,
    {{ relation }}.domain,
    {{ relation }}.category,
    {{ relation }}.config,
    {{ relation }}.model,
    {{ relation }}.role,
    {{ relation }}.is_simulated
{%- endmacro %}
