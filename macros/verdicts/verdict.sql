{# State of a judged number (SPEC THR-2, THR-3). 'pass' has to be proven: whatever is missing, on too few
   responses or out of the design's reach never passes. `colour` is green, between or red. #}
{% macro verdict(colour, is_significant, is_adequate_n, is_attainable) -%}
    case
        when {{ colour }} is null then 'not_applicable'
        when {{ colour }} = 'between' then 'monitor'
        when {{ colour }} = 'red' and {{ is_significant }} then 'fail'
        when {{ colour }} = 'red' then 'inconclusive'
        when {{ is_significant }} then 'monitor'
        when {{ is_adequate_n }} and {{ is_attainable }} then 'pass'
        else 'inconclusive'
    end
{%- endmacro %}
