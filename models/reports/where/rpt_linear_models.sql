-- Grain: one row per suite, category, config, is_simulated, measure_kind, measure, method, term.
select
    {{ contract_columns(without=['category_slug']) }},
    suite || '-' || category as category_slug
from {{ ref('fct_linear_models') }}
