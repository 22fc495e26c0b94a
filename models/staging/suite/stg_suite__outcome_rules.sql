-- Grain: one row per suite, category, outcome_set, phrase.
select
    suite,
    category,
    outcome_set,
    variant,
    rule_kind,
    text_variant,
    feature,
    scorer,
    scorer_feature,
    unmatched_label,
    min_similarity,
    min_margin,
    label,
    label_position,
    is_favourable,
    phrase,
    phrase_position,
    pattern,
    phrase_text_key
from {{ source('raw', 'suite_outcomes') }}
