-- Grain: one row per suite, category, config, axis, measure_kind, measure.
select
    {{ contract_columns(without=['category_slug']) }},
    suite || '-' || category as category_slug
from {{ ref('fct_interactions') }}
