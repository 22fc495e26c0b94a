{# Jensen-Shannon divergence in nats over the rows of a group; 0 ln 0 = 0. Between 0 and ln 2 (SPEC FS-5). #}
{% macro jensen_shannon(p, q) -%}
    greatest(0, 0.5 * sum({{ kl_term(p, '(' ~ p ~ ' + ' ~ q ~ ') / 2') }} + {{ kl_term(q, '(' ~ p ~ ' + ' ~ q ~ ') / 2') }}))
{%- endmacro %}
