{# Address parts of the pages behind a row: its category, and its answers. Names of suites and categories are
   plain words (the suite's schema sees to it); a config's label is a stranger's text, so its hash stands for it. #}
{% macro page_slugs(relation=none) -%}
    {%- set at = relation ~ '.' if relation else '' -%}
    {{ at }}suite || '-' || {{ at }}category as category_slug,
    {{ at }}suite || '-' || {{ at }}category || '-' || left(md5({{ at }}config), 8) as responses_slug
{%- endmacro %}
