{# An end of Wilson's 95 % interval of a proportion (SPEC INF-6); null where nothing was counted. #}
{% macro wilson(n_selected, n, end) -%}
    {%- set z = 1.959963984540054 -%}
    {%- set sign = '-' if end == 'low' else '+' -%}
    {%- if end not in ('low', 'high') -%}
        {{ exceptions.raise_compiler_error("wilson: end must be 'low' or 'high', not " ~ end) }}
    {%- endif -%}
    {%- set wilson_end -%}
    ({{ ratio(n_selected ~ ' + ' ~ (z * z / 2), n ~ ' + ' ~ (z * z)) }}
    {{ sign }} {{ ratio(
        z ~ ' * sqrt(' ~ n_selected ~ ' * (1 - ' ~ ratio(n_selected, n) ~ ') + ' ~ (z * z / 4) ~ ')', n ~ ' + ' ~ (z * z)
    ) }})
    {%- endset -%}
    {{ at_most_one(wilson_end) }}
{%- endmacro %}
