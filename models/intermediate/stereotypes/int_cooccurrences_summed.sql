-- Grain: one row per text_id, attribute, group_value, form: how near words stand to a group's (SPEC ST-1).
-- `form` is a target word's form, or '' for all other words that are neither stop words nor protected. Each
-- protected word meets the other words of its own text, so the work grows with the number of texts. Sums are
-- kept under a group's place, a number: under its names a million texts would not fit in memory.
with protected as (
    select
        tokens.text_id,
        tokens.token_position,
        words.suite,
        words.attribute,
        words.group_place
    from {{ ref('int_tokens_matched') }} as tokens
    inner join {{ ref('stg_suite__protected_words') }} as words
        on
            tokens.suite = words.suite
            and tokens.token = words.word
    where tokens.is_protected
),

others as (
    select * from {{ ref('int_tokens_matched') }}
    where not is_stop
),

pairs as (
    select
        protected.text_id,
        protected.group_place,
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
),

summed as (
    select
        text_id,
        group_place,
        form,
        {{ sum_of_shares('nearness') }} as cooccurrence
    from pairs
    group by text_id, group_place, form
),

listed_groups as (
    select distinct
        suite,
        attribute,
        group_value,
        group_place
    from {{ ref('stg_suite__protected_words') }}
)

select
    listed_groups.suite,
    summed.text_id,
    listed_groups.attribute,
    listed_groups.group_value,
    summed.form,
    summed.cooccurrence
from summed
inner join listed_groups using (group_place)
