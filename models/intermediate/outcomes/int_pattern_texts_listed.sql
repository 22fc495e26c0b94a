-- Grain: one row per pattern_key, text_key: the texts in which a pattern is to be sought.
with listed as (
    select distinct
        rules.pattern_key,
        rules.is_of_words,
        case when not rules.is_own then {{ lowered('rules.phrase') }} end as literal_phrase,
        texts.variant_text_key as text_key
    from {{ ref('int_rule_texts_listed') }} as texts
    inner join {{ ref('int_text_rules_prepared') }} as rules using (suite, category, outcome_set)
    where
        texts.variant_text_key is not null
        and not rules.is_word
),

composed as (
    select
        listed.*,
        {{ plain_apostrophes(composed('texts.text')) }} as composed_text
    from listed
    inner join {{ ref('stg_extract__texts') }} as texts using (text_key)
),

searched as (
    select
        *,
        case
            when is_of_words then {{ without_stress(without_drawing_signs('composed_text')) }}
            else composed_text
        end as searched_text
    from composed
)

select
    pattern_key,
    text_key,
    searched_text
from searched
where literal_phrase is null or contains({{ lowered('searched_text') }}, literal_phrase)
