-- Units a group with which four in five audits show a number that chance pushes up to lie within a limit: what chance adds to it
-- shrinks as its bound does, so that sqrt(expected^2 + chance^2 s^2) + z half_width s = limit, s^2 = n / units, is solved for s.
{% macro units_to_pass(n_units, half_width, chance, expected, limit) -%}
    {%- set wide = '((1.645 + 0.842) / 1.645 * ' ~ half_width ~ ')' %}
    {%- set room = '(power(' ~ limit ~ ', 2) - power(' ~ expected ~ ', 2))' %}
    {{ n_units }} * power(
        ({{ limit }} * {{ wide }} + sqrt(power({{ chance }}, 2) * {{ room }} + power({{ wide }} * {{ expected }}, 2)))
        / {{ room }}, 2
    )
{%- endmacro %}
