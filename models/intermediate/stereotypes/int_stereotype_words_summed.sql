-- Grain: one row per suite, category, config_key, prompt_key, attribute, group_value, target_list, word: a
-- target word beside a group's in the answers to a prompt (SPEC ST-1, ST-7). What never meets has no row.
with beside as (
    select
        summed.text_id,
        summed.attribute,
        summed.group_value,
        forms.target_list,
        forms.word,
        sum(summed.cooccurrence) as cooccurrence
    from {{ ref('int_cooccurrences_summed') }} as summed
    inner join {{ ref('stg_suite__target_words') }} as forms using (suite, form)
    group by summed.text_id, summed.attribute, summed.group_value, forms.target_list, forms.word
)

select
    answers.suite,
    answers.category,
    answers.config_key,
    answers.prompt_key,
    answers.block_key,
    protected.attribute,
    protected.group_value,
    targets.target_list,
    targets.word,
    sum(answers.n_answers) as n_answers,
    sum(answers.n_answers * beside.cooccurrence) as cooccurrence,
    sum(answers.n_answers * protected.n_words * targets.n_words) as product,
    sum(answers.n_answers * protected.n_words) as indicator
from {{ ref('int_prompt_texts_counted') }} as answers
inner join {{ ref('int_protected_words_counted') }} as protected using (text_id)
inner join {{ ref('int_target_words_counted') }} as targets using (text_id)
inner join beside using (text_id, attribute, group_value, target_list, word)
group by
    answers.suite, answers.category, answers.config_key, answers.prompt_key, answers.block_key,
    protected.attribute, protected.group_value, targets.target_list, targets.word
