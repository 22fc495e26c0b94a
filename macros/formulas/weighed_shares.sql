{# Joins what an answer of each share is worth (int_shares_weighed) to rows of the relation `answers`, as `weighed`;
   where no row is found, an answer is worth one. #}
{% macro weighed_shares(answers, share_of, measure, group_value, outcome) -%}
    left join {{ ref('int_shares_weighed') }} as weighed
        on
            {{ share_of }} = weighed.share_of
            {%- for column in ['suite', 'category', 'config_key', 'axis'] %}
            and {{ answers }}.{{ column }} = weighed.{{ column }}
            {%- endfor %}
            and {{ measure }} = weighed.measure
            and {{ group_value }} = weighed.group_value
            and {{ outcome }} = weighed.outcome
{%- endmacro %}
