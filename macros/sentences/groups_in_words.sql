{# The groups at one end of a disparity, for a cell: their names, or how many there are where more than three tie. #}
{% macro groups_in_words(groups) -%}
    case
        when length({{ groups }}) - length(replace({{ groups }}, ';', '')) > 2
            then length({{ groups }}) - length(replace({{ groups }}, ';', '')) + 1 || ' groups alike'
        else {{ groups }}
    end
{%- endmacro %}
