-- Grain: one row per suite, category, config, axis, outcome_set, group_value, metric (pooled reference).
select
    {{ contract_columns(without=['category_slug', 'responses_slug']) }},
    {{ page_slugs() }}
from {{ ref('fct_group_deviations') }}
where reference = 'pooled'
