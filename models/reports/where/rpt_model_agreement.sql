-- Grain: one row per suite, category, axis, measure_kind, measure, outcome, group_value, is_simulated.
select
    {{ contract_columns(without=['category_slug']) }},
    suite || '-' || category as category_slug
from {{ ref('fct_model_agreement') }}
