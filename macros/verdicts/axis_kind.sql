{# Whether an axis is one attribute or an intersection of several: thresholds tell them apart. #}
{% macro axis_kind(n_attributes) -%}
    case when {{ n_attributes }} > 1 then 'intersection' else 'single' end
{%- endmacro %}

{# The largest deviation of an intersection's groups has a name of its own (SPEC FS-3). #}
{% macro metric_on_axis(metric, n_attributes) -%}
    case when {{ metric }} = 'max_fdi' and {{ n_attributes }} > 1 then 'max_idi' else {{ metric }} end
{%- endmacro %}
