-- Grain: one row per suite, category, config, axis, outcome_set, group_value, outcome: the heat maps.
select
    {{ page_slugs() }},
    *
from {{ ref('fct_outcome_shares') }}
