{# A text with ' in the place of each typographic apostrophe (’, ‘ and ʼ), as long as it was: “don’t” is one word with "don't". #}
{% macro plain_apostrophes(text) -%}
    translate({{ text }}, '’‘ʼ', '''''''')
{%- endmacro %}
