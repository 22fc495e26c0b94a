-- Grain: one row per suite, category, config, axis, group_value, response_status: what failed, for whom.
select
    {{ page_slugs() }},
    *
from {{ ref('fct_failures') }}
