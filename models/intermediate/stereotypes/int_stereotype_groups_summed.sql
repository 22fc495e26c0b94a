-- Grain: one row per suite, category, config_key, prompt_key, attribute, group_value: the group's words in
-- the answers to a prompt, and all that stands beside them.
with answers as (
    select * from {{ ref('int_prompt_texts_counted') }}
),

counted as (
    select * from {{ ref('int_protected_words_counted') }}
),

beside as (
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
from answers
inner join counted on answers.text_id = counted.text_id
left join beside
    on
        counted.text_id = beside.text_id
        and counted.attribute = beside.attribute
        and counted.group_value = beside.group_value
group by
    answers.suite, answers.category, answers.config_key, answers.prompt_key, answers.block_key,
    counted.attribute, counted.group_value
