{# A text with spaces in the place of the signs that say how an emoji is drawn (U+FE0E, U+FE0F, and the key around "1️⃣",
   U+20E3), as long as it was. They are marks, as vowel signs are: "✔️Yes" would be one word. #}
{% macro without_drawing_signs(text) -%}
    {{ all_replaced(text, drawing_signs(), ' ') }}
{%- endmacro %}

{% macro drawing_signs() -%}
    {{ return(pattern('[\\x{FE0E}\\x{FE0F}\\x{20E3}]')) }}
{%- endmacro %}
