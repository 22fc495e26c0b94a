{# The columns together name a row: lists the combinations that occur more than once. #}
{% test unique_combination(model, columns) %}
    select
        {{ columns | join(', ') }},
        count(*) as n_rows
    from {{ model }}
    group by {{ columns | join(', ') }}
    having count(*) > 1
{% endtest %}
