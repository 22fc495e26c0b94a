-- Grain: one row per suite, category, config, outcome_set, axis, group_value, metric, outcome.
select
    {{ contract_columns(without=['category_slug', 'responses_slug']) }},
    {{ page_slugs() }}
from {{ ref('fct_label_errors') }}
