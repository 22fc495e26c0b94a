-- Grain: one row per suite, category, outcome_set, phrase of rules that read a text (SPEC MEA-4).
with rules as (
    select
        suite,
        category,
        outcome_set,
        rule_kind,
        label,
        {{ plain_apostrophes(composed('phrase')) }} as phrase,
        {{ plain_apostrophes(composed('pattern')) }} as pattern,
        -- A pattern of the suite's own starts with ().
        {{ begins_with('pattern', '()') }} as is_own
    from {{ ref('stg_suite__outcome_rules') }}
    where rule_kind in ('{{ text_rules() | join("', '") }}')
)

select
    *,
    md5(pattern) as pattern_key,
    not is_own and not contains(phrase, '_') and not {{ matches('phrase', drawing_signs()) }} as is_of_words,
    not is_own and not {{ matches('phrase', pattern('[^\\p{L}\\p{M}\\p{N}_]')) }} as is_word
from rules
