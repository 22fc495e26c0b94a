{# What was relabelled and drawn as one, in the plural; of a number `n`, in the singular where it is 1. #}
{% macro units_in_words(unit, n='2') -%}
    case
        when {{ n }} = 1
            then
                case {{ unit }} when 'block' then 'name or text' when 'prompt' then 'prompt' else 'answer' end
        else
            case {{ unit }} when 'block' then 'names or texts' when 'prompt' then 'prompts' else 'answers' end
    end
{%- endmacro %}
