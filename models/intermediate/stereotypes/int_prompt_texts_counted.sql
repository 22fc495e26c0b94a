-- Grain: one row per suite, category, config_key, prompt_key, text_id: how many answers have the text.
select
    answered.suite,
    answered.category,
    answered.config_key,
    answered.prompt_key,
    answered.block_key,
    texts.text_id,
    count(*) as n_answers
from {{ ref('int_stereotype_texts_listed') }} as answered
inner join {{ ref('int_texts_tokenised') }} as texts using (suite, text_key)
where answered.is_counted
group by
    answered.suite, answered.category, answered.config_key, answered.prompt_key, answered.block_key,
    texts.text_id
