{# A number that does not depend on the values; null where there are none (SPEC 9.1). #}
{% macro standard_fixed(parameters) -%}
    case when count(value) > 0 then cast({{ parameters['value'] }} as double) end
{%- endmacro %}
