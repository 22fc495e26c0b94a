{# The key of a group's raw values of one of `features`, or of a set of groups'; that of calibrated ones is one more. #}
{% macro group_feature_key(id) -%}
    (({{ id }} * features.n_feature_ids + features.feature_id) * 2)
{%- endmacro %}
