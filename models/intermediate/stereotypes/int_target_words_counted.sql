-- Grain: one row per text_id, target_list, word with the target word, in any of its forms, in the text.
select
    tokens.suite,
    tokens.text_id,
    words.target_list,
    words.word,
    count(*) as n_words
from {{ ref('int_tokens_matched') }} as tokens
inner join {{ ref('stg_suite__target_words') }} as words
    on
        tokens.suite = words.suite
        and tokens.token = words.form
where tokens.is_target
group by tokens.suite, tokens.text_id, words.target_list, words.word
