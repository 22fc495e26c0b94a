{# The models among some nodes, as a list of strings. #}
{% macro quoted_models(nodes) -%}
    {%- for node in nodes if node.startswith('model.') %}'{{ node }}'{{ ', ' if not loop.last }}{% endfor -%}
{%- endmacro %}
