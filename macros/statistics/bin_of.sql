{# Number, from 0, of the bin that holds x, where `place` is how many widths x lies above the lowest end. A value on an edge
   belongs to the bin that begins there, though 0.3 / 0.1 is a little less than 3. #}
{% macro bin_of(place) -%}
    floor({{ place }} + {{ limit_slack(place) }})
{%- endmacro %}
