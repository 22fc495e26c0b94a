-- Grain: one row per suite, category, outcome_set, variant_text_key of rules that read a text (SPEC MEA-4).
-- A match at the lowest position wins; at one position the longest phrase. What lies within it alone is no
-- other label found: hire, in "wouldn't hire". An accent may be a letter's own or a mark beside it, and an
-- apostrophe straight or not.
{%- set kinds = text_rules() %}
with candidates as (
    select distinct
        suite,
        category,
        outcome_set,
        variant_text_key
    from {{ ref('int_rule_texts_listed') }}
    where variant_text_key is not null
),

rules as (
    select
        suite,
        category,
        outcome_set,
        rule_kind,
        label,
        {{ plain_apostrophes(composed('phrase')) }} as phrase,
        {{ plain_apostrophes(composed('pattern')) }} as pattern,
        -- A pattern of the suite's own starts with ().
        {{ begins_with('pattern', '()') }} as is_own,
        not {{ begins_with('pattern', '()') }}
        and not contains(phrase, '_')
        and not {{ matches('phrase', drawing_signs()) }} as is_of_words,
        not {{ begins_with('pattern', '()') }}
        and not {{ matches('phrase', pattern('[^\\p{L}\\p{M}\\p{N}_]')) }} as is_word
    from {{ ref('stg_suite__outcome_rules') }}
    where rule_kind in ('{{ kinds | join("', '") }}')
),

texts as (
    select
        text_key,
        composed_text,
        {{ without_stress(without_drawing_signs('composed_text')) }} as unstressed_text
    from (
        select
            text_key,
            {{ plain_apostrophes(composed('text')) }} as composed_text
        from {{ ref('stg_extract__texts') }}
    )
),

searched as (
    select
        candidates.suite,
        candidates.category,
        candidates.outcome_set,
        candidates.variant_text_key,
        rules.label,
        {{ lowered('rules.phrase') }} as phrase,
        rules.is_own,
        length(rules.phrase) as phrase_length,
        case
            {%- for kind, position in kinds.items() %}
            when rules.rule_kind = '{{ kind }}' and rules.is_of_words
                then {{ position('texts.unstressed_text', 'rules') }}
            when rules.rule_kind = '{{ kind }}' then {{ position('texts.composed_text', 'rules') }}
            {%- endfor %}
        end as match_position
    from candidates
    inner join rules using (suite, category, outcome_set)
    inner join texts on candidates.variant_text_key = texts.text_key
),

found as (
    select
        *,
        first_value(phrase) over (
            partition by suite, category, outcome_set, variant_text_key
            order by match_position asc, phrase_length desc, label asc
        ) as first_phrase
    from searched
    where match_position >= 0
),

contained as (
    select
        *,
        case
            when not is_own and phrase <> first_phrase and contains(first_phrase, phrase)
                then variant_text_key
        end as searched_text_key
    from found
),

placed as (
    select
        contained.*,
        coalesce(
            not contains(
                replace({{ lowered('texts.unstressed_text') }}, contained.first_phrase, ' '), contained.phrase
            ),
            false
        ) as is_within_first
    from contained
    left join texts on contained.searched_text_key = texts.text_key
)

select
    suite,
    category,
    outcome_set,
    variant_text_key,
    min_by(label, (match_position, -phrase_length, label)) as label,
    count(distinct case when not is_within_first then label end) as n_matches
from placed
group by suite, category, outcome_set, variant_text_key
