{# Every row has these columns: what a table's constraints would enforce, for a view, which can have none. #}
{% test never_null(model, columns) %}
    select *
    from {{ model }}
    where {{ columns | join(' is null or ') }} is null
{% endtest %}
