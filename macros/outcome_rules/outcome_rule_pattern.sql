{# Number of characters before a phrase in a text, -1 where it does not stand there. `is_word` is a phrase of letters, digits
   and _; what else is sought stands in int_patterns_found. #}
{% macro outcome_rule_pattern(text, rule) -%}
    case
        when {{ rule }}.is_word then {{ word_position(text, rule ~ '.phrase') }}
        else coalesce({{ rule }}.pattern_position, -1)
    end
{%- endmacro %}
