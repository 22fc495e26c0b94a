-- Grain: one row per suite, category, config, axis, measure_kind, measure.
select
    {{ contract_columns(without=['category_slug', 'responses_slug', 'measure_words']) }},
    {{ measure_in_words('measure') }} as measure_words,
    {{ page_slugs() }}
from {{ ref('fct_variance_components') }}
