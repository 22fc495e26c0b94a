-- Grain: one row per suite, category, config, is_simulated, measure_kind, measure, method, term.
select
    {{ contract_columns(without=[
        'category_slug', 'p_value_words', 'p_permutation_words', 'measure_words'
    ]) }},
    {{ measure_in_words('measure') }} as measure_words,
    {{ p_in_words('p_value') }} as p_value_words,
    {{ p_in_words('p_permutation') }} as p_permutation_words,
    suite || '-' || category as category_slug
from {{ ref('fct_linear_models') }}
