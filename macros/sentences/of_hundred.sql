{# A share as answers of 100, as the site's `of100` rounds it: halves go up, and what is not all or nothing
   is not called so. #}
{% macro of_hundred(share) -%}
    case
        when {{ share }} > 1e-9 and 100 * {{ share }} < 0.5 then {{ short_text('100 * ' ~ share, digits=1) }}
        when 1 - {{ share }} > 1e-9 and 100 * {{ share }} >= 99.5
            {% set missing = short_text('100 - 100 * ' ~ share, digits=1) -%}
            then {{ short_text('100 - cast(' ~ missing ~ ' as double)') }}
        else cast(cast(round(100 * {{ share }}) as integer) as string)
    end
{%- endmacro %}
