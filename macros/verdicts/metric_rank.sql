{# Which number of a comparison speaks first: a size that a reader can picture before a coefficient, and a bare
   p-value last. #}
{% macro metric_rank(metric) -%}
    case
        when {{ begins_with(metric, 'min_impact_ratio') }} then 1
        when {{ metric }} in ('max_share_gap', 'max_failure_gap', 'max_item_gap') then 1
        when {{ metric }} in ('max_fdi', 'max_idi') then 2
        when {{ begins_with(metric, 'cramers_v') }} then 3
        when {{ metric }} in ('max_mean_gap', 'max_abs_dbi') then 3
        when {{ metric }} = 'max_jsd_nats' then 4
        else 5
    end
{%- endmacro %}
