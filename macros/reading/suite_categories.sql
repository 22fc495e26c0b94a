{# The categories of every suite: `category` is the code of one, `settings` what the suite says of it, as JSON. #}
{% macro suite_categories() -%}
    select
        suite,
        member.key as category,
        member.value as settings
    from (select suite, {{ members('definition', 'categories') }} as member from {{ source('raw', 'suites') }})
{%- endmacro %}
