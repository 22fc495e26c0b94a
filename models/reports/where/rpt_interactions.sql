-- Grain: one row per suite, category, config, axis, measure_kind, measure.
select
    {{ contract_columns(without=['category_slug', 'p_value_words', 'p_holm_words', 'measure_words']) }},
    {{ measure_in_words('measure') }} as measure_words,
    {{ p_in_words('p_value') }} as p_value_words,
    {{ p_in_words('p_holm') }} as p_holm_words,
    suite || '-' || category as category_slug
from {{ ref('fct_interactions') }}
