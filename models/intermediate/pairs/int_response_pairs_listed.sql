-- Grain: one row per pair_kind, axis, response_key_a, response_key_b: answers to two branches of a root
-- (`branches`), and two answers to one prompt (`repeats`), which say what sampling alone does.
with prompt_pairs as (
    select * from {{ ref('stg_extract__prompt_pairs') }}
),

responses as (
    select * from {{ ref('int_responses_joined') }}
),

members as (
    select
        axis,
        group_a as group_value,
        prompt_key_a as prompt_key
    from prompt_pairs
    union
    select
        axis,
        group_b as group_value,
        prompt_key_b as prompt_key
    from prompt_pairs
),

branches as (
    select
        'branches' as pair_kind,
        prompt_pairs.axis,
        prompt_pairs.group_a,
        prompt_pairs.group_b,
        a.suite,
        a.domain,
        a.category,
        a.config_key,
        a.config,
        a.model,
        a.role,
        a.is_simulated,
        prompt_pairs.root_key,
        a.response_key as response_key_a,
        b.response_key as response_key_b,
        a.prompt_key as prompt_key_a,
        b.prompt_key as prompt_key_b,
        a.text_key as text_key_a,
        b.text_key as text_key_b,
        a.repeat_index as repeat_a,
        b.repeat_index as repeat_b,
        a.is_usable and b.is_usable as is_usable
    from prompt_pairs
    inner join responses as a on prompt_pairs.prompt_key_a = a.prompt_key
    inner join responses as b
        on
            prompt_pairs.prompt_key_b = b.prompt_key
            and a.config_key = b.config_key
            and a.repeat_index = b.repeat_index
),

repeats as (
    select
        'repeats' as pair_kind,
        members.axis,
        members.group_value as group_a,
        members.group_value as group_b,
        a.suite,
        a.domain,
        a.category,
        a.config_key,
        a.config,
        a.model,
        a.role,
        a.is_simulated,
        a.root_key,
        a.response_key as response_key_a,
        b.response_key as response_key_b,
        a.prompt_key as prompt_key_a,
        b.prompt_key as prompt_key_b,
        a.text_key as text_key_a,
        b.text_key as text_key_b,
        a.repeat_index as repeat_a,
        b.repeat_index as repeat_b,
        a.is_usable and b.is_usable as is_usable
    from members
    inner join responses as a using (prompt_key)
    inner join responses as b
        on
            a.prompt_key = b.prompt_key
            and a.config_key = b.config_key
            and a.repeat_index < b.repeat_index
)

select * from branches
union all
select * from repeats
