-- Grain: one row per suite, category, config, axis, feature, group_value. Groups that are compared.
select
    {{ contract_columns(without=['category_slug', 'responses_slug', 'p_max_words', 'measure_words']) }},
    {{ measure_in_words('feature') }} as measure_words,
    {{ p_in_words('p_max') }} as p_max_words,
    {{ page_slugs() }}
from {{ ref('fct_score_shifts') }}
where status not in ('empty_group', 'all_missing', 'too_few')
