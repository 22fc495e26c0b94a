{# Number, from 0, of the equal bin that holds x between two ends; the last bin is closed, and what lies outside belongs
   to the outermost. A range of 0 is widened by a half on both sides, as numpy does. #}
{% macro histogram_bin(x, low, high, bins) -%}
    {%- set place -%}
    (case when {{ low }} < {{ high }} then ({{ x }} - {{ low }}) / ({{ high }} - {{ low }}) else 0.5 end * {{ bins }})
    {%- endset -%}
    least(greatest({{ bin_of(place) }}, 0), {{ bins }} - 1)
{%- endmacro %}
