{# The names of nodes that begin so, as a list of strings. #}
{% macro quoted_nodes(nodes, kind='') -%}
    {%- for node in nodes if node.startswith(kind) %}'{{ node }}'{{ ', ' if not loop.last }}{% endfor -%}
{%- endmacro %}
