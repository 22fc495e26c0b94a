{# Parameters of the selection rate that pages show before all others: one row. #}
{% macro default_criterion() -%}
    select {{ criterion('standards.standard', 'methods.method') }} as parameters
    from {{ ref('selection_standards') }} as standards
    cross join {{ ref('selection_methods') }} as methods
    where standards.is_default and methods.is_default
{%- endmacro %}
