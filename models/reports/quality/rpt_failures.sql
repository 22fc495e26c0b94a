-- Grain: one row per suite, category, config, axis, group_value, response_status: what failed, for whom. Of
-- single attributes; fct_failures holds the intersections.
select
    {{ page_slugs() }},
    * {{ without('n_attributes') }}
from {{ ref('fct_failures') }}
where n_attributes = 1
