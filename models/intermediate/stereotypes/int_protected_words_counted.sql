-- Grain: one row per text_id, attribute, group_value with a word of the group in the text.
select
    tokens.suite,
    tokens.text_id,
    words.attribute,
    words.group_value,
    count(*) as n_words,
    count(*) filter (where not tokens.is_stop) as n_words_no_stop
from {{ ref('int_tokens_matched') }} as tokens
inner join {{ ref('stg_suite__protected_words') }} as words
    on
        tokens.suite = words.suite
        and tokens.token = words.word
where tokens.is_protected
group by tokens.suite, tokens.text_id, words.attribute, words.group_value
