{# Why a number is missing (SPEC CON-1), for sentences and cells on pages; '' where it is not. #}
{% macro status_in_words(status) -%}
    case {{ status }}
        when 'ok' then ''
        when 'empty_group' then 'no answers about this group'
        when 'all_missing' then 'no value could be computed'
        when 'single_group' then 'only one group'
        when 'too_few' then 'too few values'
        when 'zero_variance' then 'all values are equal'
        when 'zero_denominator' then 'groups tie at the ends'
        when 'zero_max' then 'the largest is 0'
        when 'n_out_of_range' then 'needs 3 to 30 groups'
        when 'not_applicable' then 'not meaningful for these values'
        else replace({{ status }}, '_', ' ')
    end
{%- endmacro %}
