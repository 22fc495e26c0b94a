{# A p-value of at most this, corrected for all tests of its family, is a finding (SPEC INF-7). #}
{% macro significance_level() -%}
    0.05
{%- endmacro %}
