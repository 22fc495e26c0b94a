-- Grain: one row per suite, category, config_key, prompt_key, attribute, group_value, target_list, word: a
-- target word beside a group's in the answers to a prompt (SPEC ST-1, ST-7). What never meets has no row.
-- Prompts, groups and words are summed under their places, numbers: their names would not fit in memory.
with listed_words as (
    select distinct
        suite,
        target_list,
        word,
        word_place
    from {{ ref('stg_suite__target_words') }}
),

listed_groups as (
    select distinct
        suite,
        attribute,
        group_value,
        group_place
    from {{ ref('stg_suite__protected_words') }}
),

prompts as (
    select
        suite,
        category,
        config_key,
        prompt_key,
        block_key,
        row_number() over (order by suite, category, config_key, prompt_key) as prompt_place
    from {{ ref('int_prompt_texts_counted') }}
    group by suite, category, config_key, prompt_key, block_key
),

answers as (
    select
        prompts.prompt_place,
        counted.text_id,
        counted.n_answers
    from {{ ref('int_prompt_texts_counted') }} as counted
    inner join prompts using (suite, category, config_key, prompt_key)
),

protected as (
    select
        counted.text_id,
        listed_groups.group_place,
        counted.n_words
    from {{ ref('int_protected_words_counted') }} as counted
    inner join listed_groups using (suite, attribute, group_value)
),

targets as (
    select
        counted.text_id,
        listed_words.word_place,
        counted.n_words
    from {{ ref('int_target_words_counted') }} as counted
    inner join listed_words using (suite, target_list, word)
),

beside as (
    select
        summed.text_id,
        listed_groups.group_place,
        forms.word_place,
        sum(summed.cooccurrence) as cooccurrence
    from {{ ref('int_cooccurrences_summed') }} as summed
    inner join {{ ref('stg_suite__target_words') }} as forms using (suite, form)
    inner join listed_groups using (suite, attribute, group_value)
    group by summed.text_id, listed_groups.group_place, forms.word_place
),

summed as (
    select
        answers.prompt_place,
        beside.group_place,
        beside.word_place,
        sum(answers.n_answers) as n_answers,
        sum(answers.n_answers * beside.cooccurrence) as cooccurrence,
        sum(answers.n_answers * protected.n_words * targets.n_words) as product,
        sum(answers.n_answers * protected.n_words) as indicator
    from answers
    inner join protected using (text_id)
    inner join targets using (text_id)
    inner join beside using (text_id, group_place, word_place)
    group by answers.prompt_place, beside.group_place, beside.word_place
)

select
    prompts.suite,
    prompts.category,
    prompts.config_key,
    prompts.prompt_key,
    prompts.block_key,
    listed_groups.attribute,
    listed_groups.group_value,
    listed_words.target_list,
    listed_words.word,
    summed.n_answers,
    summed.cooccurrence,
    summed.product,
    summed.indicator
from summed
inner join prompts using (prompt_place)
inner join listed_groups using (group_place)
inner join listed_words using (word_place)
