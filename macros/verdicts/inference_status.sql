{# Why a value has, or has not, what resampling gives: `drawn` is the interval's end or the p-value, and
   `is_enough` says whether there are units enough to draw from: then too few draws had a value. #}
{% macro inference_status(value, is_asked, drawn, is_enough='false') -%}
    case
        when {{ value }} is null then 'not_applicable'
        when {{ drawn }} is not null then 'ok'
        when ({{ is_asked }}) is not true then 'not_resampled'
        when {{ is_enough }} then 'too_few_draws'
        else 'too_few'
    end
{%- endmacro %}
