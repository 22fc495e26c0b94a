{# Passes only rows proven to lie in [low, high]. Nulls fail unless allow_null. #}
{% test finite_between(model, column_name, low, high, allow_null=false) %}
    select *
    from {{ model }}
    where
        ({{ is_finite(column_name) }} and {{ column_name }} between {{ low }} and {{ high }}) is not true
        {% if allow_null %}and {{ column_name }} is not null{% endif %}
{% endtest %}
