-- Grain: one row per suite, category, config, attribute, value, answer: what was planted, what came back.
select
    {{ page_slugs() }},
    *
from {{ ref('fct_planted') }}
