{# An end of the interval of a selection rate's ratio to that of a reference group. Katz's interval is for
   independent answers; where they come in blocks, or nobody is selected, the bootstrap's stands (SPEC INF-5), if it
   was drawn. `drawn` begins its columns, `counts` ends the reference's. #}
{% macro ratio_interval(value, reference_group, counts, drawn, end) -%}
    case
        when {{ value }} is null or group_value = {{ reference_group }} then null
        when coalesce(resampling_unit, '') <> 'response' or n_selected = 0 then {{ drawn }}_{{ end }}
        else {{ katz('n_selected', 'n', 'n_selected_' ~ counts, 'n_' ~ counts, end) }}
    end
{%- endmacro %}
