-- Grain: one row per suite, category, config, axis, feature.
select
    {{ contract_columns(without=[
        'category_slug', 'responses_slug', 'normality_p_words', 'equal_variance_p_words', 'measure_words'
    ]) }},
    {{ measure_in_words('feature') }} as measure_words,
    {{ p_in_words('normality_p') }} as normality_p_words,
    {{ p_in_words('equal_variance_p') }} as equal_variance_p_words,
    {{ page_slugs() }}
from {{ ref('fct_score_assumptions') }}
