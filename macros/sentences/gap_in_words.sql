{# The widest gap between two groups: shares with their counts, of the favourable outcomes together where no outcome
   is named, or means. What labels correct has no count. #}
{% macro gap_in_words() -%}
    case measure_kind
        when 'outcome'
            then
                case
                    when measure = 'response_status' and contrast_outcome = 'ok' then 'answered'
                    when contrast_outcome is null then 'favourable'
                    else {{ isolated('contrast_outcome') }}
                end
                {%- for side, before in [('high', ': '), ('low', ', ')] %}
                || '{{ before }}' || {{ isolated('group_' ~ side) }} || ' ' || {{ of_hundred('value_' ~ side) }} || ' %'
                || case
                    when n_labels is null
                        then
                            ' (' || {{ with_commas('n_cell_' ~ side) }}
                            || ' of ' || {{ with_commas('n_group_' ~ side) }} || ')'
                    else ''
                end
                {%- endfor %}
        else
            'mean ' || {{ measure_in_words('measure') }}
            {%- for side, other, before in [('high', 'low', ': '), ('low', 'high', ', ')] %}
            || '{{ before }}' || {{ isolated('group_' ~ side) }} || ' '
            || {{ rounded_apart('value_' ~ side, ['value_' ~ other], within=0.001) }}
            || ' (n ' || {{ with_commas('n_group_' ~ side) }} || ')'
            {%- endfor %}
    end
{%- endmacro %}
