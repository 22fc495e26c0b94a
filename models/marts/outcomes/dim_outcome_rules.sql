-- Grain: one row per suite, category, outcome_set, label ('' for a score): the active rules in words.
select
    suite,
    category,
    outcome_set,
    variant,
    rule_kind,
    text_variant,
    coalesce(label, '') as label,
    min(label_position) as label_position,
    {{ ordered_text('phrase', "', '", 'phrase_position') }} as phrases,
    any_value(feature) as feature,
    any_value(min_similarity) as min_similarity,
    any_value(min_margin) as min_margin,
    any_value(unmatched_label) as unmatched_label,
    coalesce(bool_or(is_favourable), false) as is_favourable
from {{ ref('stg_suite__outcome_rules') }}
group by suite, category, outcome_set, variant, rule_kind, text_variant, coalesce(label, '')
