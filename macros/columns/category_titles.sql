{# Title and place of each category, a row a category: `dim_categories` has one for each of its measures. #}
{% macro category_titles() -%}
    select distinct
        suite,
        category,
        category_position,
        title
    from {{ ref('dim_categories') }}
{%- endmacro %}
