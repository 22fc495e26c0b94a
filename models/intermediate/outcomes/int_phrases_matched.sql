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

rules as (
    select
        candidates.variant_text_key,
        rules.*,
        case when rules.is_of_words then texts.unstressed_text else texts.composed_text end as searched_text,
        found.match_position as pattern_position
    from candidates
    inner join {{ ref('int_text_rules_prepared') }} as rules using (suite, category, outcome_set)
    inner join texts on candidates.variant_text_key = texts.text_key
    left join {{ ref('int_patterns_found') }} as found
        on rules.pattern_key = found.pattern_key and candidates.variant_text_key = found.text_key
),

searched as (
    select
        rules.suite,
        rules.category,
        rules.outcome_set,
        rules.variant_text_key,
        rules.label,
        {{ lowered('rules.phrase') }} as phrase,
        rules.is_own,
        length(rules.phrase) as phrase_length,
        case
            {%- for kind, position in kinds.items() %}
            when rules.rule_kind = '{{ kind }}' then {{ position('rules.searched_text', 'rules') }}
            {%- endfor %}
        end as match_position
    from rules
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
