{# Whether labels were swapped between prompts although prompts share blocks, because swapping within blocks would have
   made groups that were never asked. Such a p-value is too small, and proves nothing. #}
{% macro ignores_blocks(relation='') -%}
    {%- set prefix = relation ~ '.' if relation else '' -%}
    coalesce({{ prefix }}resampling_unit = 'block' and {{ prefix }}permutation_scheme = 'prompts', false)
{%- endmacro %}
