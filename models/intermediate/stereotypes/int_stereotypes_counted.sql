-- Grain: one row per suite, category, config_key, attribute, target_list ('' for the attribute alone): how
-- many answers there are, and how many hold the words that are counted (SPEC 19).
with answered as (
    select
        suite,
        category,
        config_key,
        count(*) filter (where is_counted) as n
    from {{ ref('int_stereotype_texts_listed') }}
    group by suite, category, config_key
),

attributes as (
    select distinct
        suite,
        attribute
    from {{ ref('stg_suite__protected_words') }}
),

lists as (
    select distinct
        suite,
        target_list
    from {{ ref('stg_suite__target_words') }}
    union all
    select distinct
        suite,
        '' as target_list
    from {{ ref('stg_suite__protected_words') }}
),

protected as (
    select distinct
        text_id,
        attribute
    from {{ ref('int_protected_words_counted') }}
),

targets as (
    select distinct
        text_id,
        target_list
    from {{ ref('int_target_words_counted') }}
),

covered as (
    select
        protected.text_id,
        protected.attribute,
        targets.target_list
    from protected
    inner join targets using (text_id)
    union all
    select
        text_id,
        attribute,
        '' as target_list
    from protected
),

held as (
    select
        answers.suite,
        answers.category,
        answers.config_key,
        covered.attribute,
        covered.target_list,
        sum(answers.n_answers) as n_covered
    from {{ ref('int_prompt_texts_counted') }} as answers
    inner join covered using (text_id)
    group by answers.suite, answers.category, answers.config_key, covered.attribute, covered.target_list
),

-- Words that are neither stop words nor protected ones of the attribute: what SPEC ST-3 divides by.
of_texts as (
    select
        text_id,
        count(*) as n_words
    from {{ ref('int_tokens_matched') }}
    where not is_stop
    group by text_id
),

spoken as (
    select
        answers.suite,
        answers.category,
        answers.config_key,
        sum(answers.n_answers * of_texts.n_words) as n_words
    from {{ ref('int_prompt_texts_counted') }} as answers
    inner join of_texts using (text_id)
    group by answers.suite, answers.category, answers.config_key
),

own as (
    select
        suite,
        category,
        config_key,
        attribute,
        sum(n_words_no_stop) as n_words
    from {{ ref('int_stereotype_groups_summed') }}
    group by suite, category, config_key, attribute
)

select
    answered.*,
    attributes.attribute,
    lists.target_list,
    cast(coalesce(held.n_covered, 0) as bigint) as n_covered,
    cast(coalesce(spoken.n_words, 0) - coalesce(own.n_words, 0) as bigint) as n_other_words
from answered
inner join attributes using (suite)
inner join lists using (suite)
left join held using (suite, category, config_key, attribute, target_list)
left join spoken using (suite, category, config_key)
left join own using (suite, category, config_key, attribute)
