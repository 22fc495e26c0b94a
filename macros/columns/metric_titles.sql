{# Title of each metric, by its newest version: a row a metric. #}
{% macro metric_titles() -%}
    select
        metric,
        max_by(title, metric_version) as title
    from {{ ref('dim_metrics') }}
    group by metric
{%- endmacro %}
