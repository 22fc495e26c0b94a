-- Grain: one row per suite, category, config, outcome_set, outcome, group_value, direction.
select
    {{ contract_columns(without=['category_slug', 'responses_slug']) }},
    {{ page_slugs() }}
from {{ ref('fct_ground_truth') }}
