-- Grain: one row per suite, category, config, axis: what the prompts show (attribute-presence report).
select
    {{ page_slugs() }},
    *
from {{ ref('fct_attribute_presence') }}
