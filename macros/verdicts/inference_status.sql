{# Why a value has, or has not, what resampling gives: `drawn` is the interval's end or the p-value. #}
{% macro inference_status(value, is_asked, drawn) -%}
    case
        when {{ value }} is null then 'not_applicable'
        when {{ drawn }} is not null then 'ok'
        when ({{ is_asked }}) is not true then 'not_resampled'
        else 'too_few'
    end
{%- endmacro %}
