-- Grain: one row per suite, category, config, axis, feature.
select
    {{ contract_columns(without=['category_slug', 'responses_slug']) }},
    {{ page_slugs() }}
from {{ ref('fct_score_assumptions') }}
