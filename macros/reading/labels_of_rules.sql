{# Labels that a suite's rules can give, whether or not an answer has one: their own, and the one where none is found. #}
{% macro labels_of_rules() -%}
    select distinct
        suite,
        category,
        outcome_set,
        label
    from (
        select
            suite,
            category,
            outcome_set,
            {{ unnested(list_of('label, unmatched_label')) }} as label
        from {{ ref('stg_suite__outcome_rules') }}
    ) as listed
    where label is not null
{%- endmacro %}
