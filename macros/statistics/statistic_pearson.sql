{# Pearson's correlation of two columns over the rows that have both (SPEC SUM-11): of values and baselines, or of their
   ranks, which is Spearman's. #}
{% macro statistic_pearson(parameters, x='value', y='baseline_value') -%}
    {%- set has_both = 'where ' ~ x ~ ' is not null and ' ~ y ~ ' is not null' -%}
    case
        when
            regr_count({{ x }}, {{ y }}) >= 3
            and min({{ x }}) filter ({{ has_both }}) < max({{ x }}) filter ({{ has_both }})
            and min({{ y }}) filter ({{ has_both }}) < max({{ y }}) filter ({{ has_both }})
            then {{ finite('corr(' ~ x ~ ', ' ~ y ~ ')') }}
    end
{%- endmacro %}
