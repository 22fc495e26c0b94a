{# The name of a measure, or of a feature, as pages write it. #}
{% macro measure_in_words(measure) -%}
    replace(
        replace(
            replace({{ measure }}, 'response_status', 'whether an answer came'),
            'vader_compound', 'VADER sentiment'
        ),
        '_', ' '
    )
{%- endmacro %}
