{# State of a judged number (docs/guide/verdicts.md). Colours are those of the number's limits: of the value, of the value
   with the missing answers at the end nearest to passing and at the other, and of its one-sided bounds with the missing
   answers at their worst. `is_sound`: several names or texts a group, enough answers read, a valid relabelling.
   `can_pass`: enough answers, and a limit that the design could reach. `is_evident`: more than chance gives also with the
   missing answers at the mildest end. What is not known is null, and proves nothing. #}
{% macro verdict(
    colour, colour_mildest, colour_worst, bound_mildest, bound_worst, is_significant, is_sound, can_pass,
    is_evident='true'
) -%}
    case
        when {{ colour }} is null then 'not_applicable'
        when ({{ is_sound }}) is not true then 'inconclusive'
        when {{ is_significant }} and {{ is_evident }} and {{ colour }} = 'red' and {{ colour_mildest }} = 'red'
            then 'fail'
        -- Missing answers decide.
        when {{ is_significant }} and (coalesce({{ colour_worst }}, 'red') = 'red' or not {{ is_evident }})
            then 'inconclusive'
        when {{ is_significant }} then 'monitor'
        when {{ bound_worst }} = 'green' and {{ can_pass }} then 'pass'
        when {{ bound_mildest }} = 'between' and {{ bound_worst }} = 'between' then 'monitor'
        else 'inconclusive'
    end
{%- endmacro %}
