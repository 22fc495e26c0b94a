-- Grain: one row per suite, category, config, axis, outcome_set, group_value, metric, outcome.
select
    {{ contract_columns(without=['category_slug', 'responses_slug']) }},
    {{ page_slugs() }}
from {{ ref('fct_corrected_numbers') }}
where not is_control
