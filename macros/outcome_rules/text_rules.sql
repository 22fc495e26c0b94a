{# Macros outcome_rule_<kind>(text, rule), by the kind of rule that each reads texts for. One says how well a row of
   `rule` (its phrase and pattern) fits a text: 0 is best, below 0 or null is not at all. #}
{% macro text_rules() -%}
    {%- set found = {} -%}
    {%- for name in context if name.startswith('outcome_rule_') -%}
        {%- do found.update({name | replace('outcome_rule_', ''): context[name]}) -%}
    {%- endfor -%}
    {{ return(dict(found | dictsort)) }}
{%- endmacro %}
