-- Grain: one row per text_id, attribute, group_value, form: how near words stand to a group's (SPEC ST-1).
-- `form` is a target word's form, or '' for all other words that are neither stop words nor protected. Each
-- protected word meets the other words of its own text, so the work grows with the number of texts.
with tokens as (
    select * from {{ ref('int_tokens_matched') }}
),

protected as (
    select
        tokens.suite,
        tokens.text_id,
        tokens.token_position,
        words.attribute,
        words.group_value
    from tokens
    inner join {{ ref('stg_suite__protected_words') }} as words
        on
            tokens.suite = words.suite
            and tokens.token = words.word
    where tokens.is_protected
),

others as (
    select * from tokens
    where not is_stop
),

pairs as (
    select
        protected.suite,
        protected.text_id,
        protected.attribute,
        protected.group_value,
        case when others.is_target then others.token else '' end as form,
        pow(settings.beta, abs(others.token_position - protected.token_position)) as nearness
    from protected
    inner join others using (text_id)
    inner join {{ ref('stg_suite__stereotypes') }} as settings
        on protected.suite = settings.suite
    left join {{ ref('stg_suite__protected_words') }} as same_attribute
        on
            protected.suite = same_attribute.suite
            and protected.attribute = same_attribute.attribute
            and case when others.is_protected then others.token end = same_attribute.word
    where same_attribute.word is null
)

select
    pairs.suite,
    pairs.text_id,
    pairs.attribute,
    pairs.group_value,
    pairs.form,
    {{ sum_of_shares('pairs.nearness') }} as cooccurrence
from pairs
group by pairs.suite, pairs.text_id, pairs.attribute, pairs.group_value, pairs.form
