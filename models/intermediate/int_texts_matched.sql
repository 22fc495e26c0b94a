-- Grain: one row per suite, category, outcome_set, variant_text_key of pattern rules (SPEC MEA-4).
-- The leftmost match wins; at one position the longest phrase.
with candidates as (
    select distinct
        suite,
        category,
        outcome_set,
        variant_text_key
    from {{ ref('int_response_texts') }}
    where variant_text_key is not null
),

rules as (
    select *
    from {{ ref('stg_suite__outcome_rules') }}
    where rule_kind = 'pattern'
),

texts as (
    select * from {{ ref('stg_extract__texts') }}
),

matches as (
    select
        candidates.suite,
        candidates.category,
        candidates.outcome_set,
        candidates.variant_text_key,
        rules.label,
        {{ match_position('texts.text', 'rules.pattern') }} as match_position,
        length(rules.phrase) as phrase_length
    from candidates
    inner join rules
        on
            candidates.suite = rules.suite
            and candidates.category = rules.category
            and candidates.outcome_set = rules.outcome_set
    inner join texts on candidates.variant_text_key = texts.text_key
    where
        -- A plain search first: compiling a pattern costs far more. A user's own pattern starts with ().
        (starts_with(rules.pattern, '()') or contains(lower(texts.text), lower(rules.phrase)))
        and regexp_matches(texts.text, rules.pattern, 'is')
)

select
    suite,
    category,
    outcome_set,
    variant_text_key,
    arg_min(label, (match_position, -phrase_length, label)) as label,
    count(distinct label) as n_matches
from matches
group by suite, category, outcome_set, variant_text_key
