{# How many units a group needs for a one-sided 95 % bound to lie beyond a limit in four of five audits, from the units
   that it has, the half width of its bound now and the distance from what is expected to the limit; null where nothing
   is to be gained. Widths shrink with the root of the units; 1.645 and 0.842 are the 95 % and 80 % normal quantiles. #}
{% macro units_to_decide(n_units, half_width, distance, quantile='1.645') -%}
    case
        when {{ distance }} > 0 and {{ half_width }} > 0
            then
                {{ n_units }} * power(
                    ({{ quantile }} + 0.842) / 1.645 * {{ half_width }} / {{ distance }}, 2
                )
    end
{%- endmacro %}
