{# Number of characters before a phrase in a text, -1 where it does not stand there. `is_own` is a pattern of the
   suite's own; `is_word` a phrase of letters, digits and _. #}
{% macro outcome_rule_pattern(text, rule) -%}
    case
        -- A plain search first: compiling a pattern costs far more.
        when {{ rule }}.is_word then {{ word_position(text, rule ~ '.phrase') }}
        when not ({{ rule }}.is_own or contains({{ lowered(text) }}, {{ lowered(rule ~ '.phrase') }})) then -1
        when not {{ matches(text, rule ~ '.pattern', 'is') }} then -1
        else {{ match_position(text, rule ~ '.pattern') }}
    end
{%- endmacro %}
