{# Pearson's correlation of values and baselines over the rows that have both (SPEC SUM-11). #}
{% macro statistic_pearson(parameters) -%}
    {%- set x, y = 'value', 'baseline_value' -%}
    {%- set has_both = x ~ ' is not null and ' ~ y ~ ' is not null' -%}
    case
        when
            regr_count({{ x }}, {{ y }}) >= 3
            and min({{ x }}) filter (where {{ has_both }}) < max({{ x }}) filter (where {{ has_both }})
            and min({{ y }}) filter (where {{ has_both }}) < max({{ y }}) filter (where {{ has_both }})
            then {{ finite('corr(' ~ x ~ ', ' ~ y ~ ')') }}
    end
{%- endmacro %}
