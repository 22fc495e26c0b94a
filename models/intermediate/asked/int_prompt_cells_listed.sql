-- Grain: one row per prompt_key, axis, of questions that are about several people. A text that stands there
-- under several values of an attribute, and shows them, asks about each of them, such as which of two
-- candidates to invite. Its one answer says something of all: who is chosen leaves the others out. So what a
-- block says of a group moves as one. Where it has more of one group than of another, it is that of a person.
with grouped as (
    select * from {{ ref('int_prompts_grouped') }}
),

prompts as (
    select
        prompt_key,
        prompt,
        keyword,
        block_key
    from {{ ref('stg_assemble__prompts') }}
),

several as (
    select
        suite,
        category,
        prompt
    from grouped
    inner join prompts using (prompt_key)
    where n_attributes = 1 and array_contains(shown_attributes, axis)
    group by suite, category, prompt, axis
    having count(distinct group_value) > 1
),

asked as (
    select
        grouped.prompt_key,
        grouped.suite,
        grouped.category,
        grouped.axis,
        grouped.group_value,
        prompts.keyword,
        prompts.block_key,
        count(*) over (
            partition by grouped.suite, grouped.category, grouped.axis, prompts.block_key, grouped.group_value
        ) as n_of_group
    from grouped
    inner join prompts using (prompt_key)
    semi join several using (suite, category, prompt)
),

compared as (
    select
        *,
        min(n_of_group) over in_block = max(n_of_group) over in_block as is_even,
        min(block_key) over in_category < max(block_key) over in_category as has_blocks
    from asked
    window
        in_block as (partition by suite, category, axis, block_key),
        in_category as (partition by suite, category, axis)
)

select
    prompt_key,
    axis,
    case
        when is_even then concat_ws(chr(31), block_key, group_value)
        when keyword is not null then concat_ws(chr(31), block_key, group_value, keyword)
        else prompt_key
    end as cell
from compared
-- A category of one block has nothing but its prompts to move.
where has_blocks
