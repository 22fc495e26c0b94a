{# What was relabelled and drawn as one, in the plural. #}
{% macro units_in_words(unit) -%}
    case {{ unit }} when 'block' then 'names or texts' when 'prompt' then 'prompts' else 'answers' end
{%- endmacro %}
