{# Share of values that lie within a tolerance of their baseline (SPEC SUM-10); pairs without one are left out.
   The tolerance has the slack of SPEC CON-3. #}
{% macro statistic_precision(parameters) -%}
    avg(case
        when value is null or baseline_value is null then null
        when {{ meets('abs(value - baseline_value)', '<=', parameters['tolerance']) }} then 1e0
        else 0e0
    end)
{%- endmacro %}
