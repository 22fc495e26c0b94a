-- Grain: one row per suite, category, config_key, prompt_key, attribute, group_value: the group's words in
-- the answers to a prompt, and all that stands beside them.
with beside as (
    select
        text_id,
        attribute,
        group_value,
        sum(cooccurrence) as cooccurrence
    from {{ ref('int_cooccurrences_summed') }}
    group by text_id, attribute, group_value
)

select
    answers.suite,
    answers.category,
    answers.config_key,
    answers.prompt_key,
    answers.block_key,
    counted.attribute,
    counted.group_value,
    sum(answers.n_answers) as n_answers,
    sum(answers.n_answers * counted.n_words) as n_words,
    sum(answers.n_answers * counted.n_words_no_stop) as n_words_no_stop,
    sum(answers.n_answers * coalesce(beside.cooccurrence, 0)) as cooccurrence
from {{ ref('int_prompt_texts_counted') }} as answers
inner join {{ ref('int_protected_words_counted') }} as counted using (text_id)
left join beside using (text_id, attribute, group_value)
group by
    answers.suite, answers.category, answers.config_key, answers.prompt_key, answers.block_key,
    counted.attribute, counted.group_value
