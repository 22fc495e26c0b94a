{# The highest value of the other groups in the same statistic; null where there are none. #}
{% macro highest_other(value) -%}
    greatest(
            max({{ value }}) over (
                partition by analysis_key, parameters order by group_value
                rows between unbounded preceding and 1 preceding
            ),
            max({{ value }}) over (
                partition by analysis_key, parameters order by group_value
                rows between 1 following and unbounded following
            )
        )
{%- endmacro %}
