-- Grain: one row per suite, category, config, axis, feature, test.
select
    {{ contract_columns(without=[
        'category_slug', 'responses_slug', 'p_permutation_words', 'p_holm_words', 'measure_words'
    ]) }},
    {{ measure_in_words('feature') }} as measure_words,
    {{ p_in_words('p_permutation') }} as p_permutation_words,
    {{ p_in_words('p_holm') }} as p_holm_words,
    {{ page_slugs() }}
from {{ ref('fct_score_tests') }}
