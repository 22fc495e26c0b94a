-- Grain: one row per suite, category, config, axis, feature, group_value. Groups that are compared.
select
    {{ contract_columns(without=['category_slug', 'responses_slug']) }},
    {{ page_slugs() }}
from {{ ref('fct_selection_rates') }}
where standard = 'favourable_outcome' and status not in ('empty_group', 'all_missing', 'too_few')
