-- Grain: one row per scorer_key, text_key: what a judge's votes come to, with a status where that is nothing.
-- All who vote have to have voted: else a text's number would depend on who did. Who was not asked yet is not
-- one who gave no vote: asking is not over.
with members as (
    select
        scorers.scorer_key,
        scorers.scorer,
        members.rubric_key,
        members.config_key,
        count(*) over (partition by scorers.scorer_key) as n_members
    from {{ ref('stg_extract__judge_members') }} as members
    inner join {{ ref('int_scorers_selected') }} as scorers using (scorer_key)
),

votes as (
    select
        members.scorer_key,
        members.scorer,
        members.n_members,
        votes.text_key,
        votes.label,
        votes.value,
        votes.vote_status
    from {{ ref('stg_extract__judge_votes') }} as votes
    inner join members
        on
            votes.rubric_key = members.rubric_key
            and votes.config_key = members.config_key
),

counted as (
    select
        scorer_key,
        scorer,
        text_key,
        n_members,
        count(*) as n_asked,
        count(*) filter (where vote_status = 'ok') as n_votes,
        avg(value) as value,
        max(case when vote_status = 'empty_text' then 1 else 0 end) = 1 as is_empty,
        max(case when vote_status = 'unsupported_language' then 1 else 0 end) = 1 as is_unread
    from votes
    group by scorer_key, scorer, text_key, n_members
),

by_label as (
    select
        scorer_key,
        text_key,
        label,
        count(*) as n_label
    from votes
    where label is not null
    group by scorer_key, text_key, label
),

ranked as (
    select
        *,
        rank() over (partition by scorer_key, text_key order by n_label desc) as place
    from by_label
),

-- The label that most give; null where two share the first place.
first_labels as (
    select
        scorer_key,
        text_key,
        case when count(*) = 1 then max(label) end as label
    from ranked
    where place = 1
    group by scorer_key, text_key
),

limits as (
    select
        judge,
        max(max_characters) as max_characters
    from {{ ref('stg_suite__judges') }}
    group by judge
),

judged as (
    select
        counted.*,
        first_labels.label,
        coalesce(texts.n_characters > limits.max_characters, false) as is_capped,
        case
            when counted.is_empty then 'empty'
            when counted.is_unread then 'unsupported_language'
            when counted.n_asked < counted.n_members then 'not_measured'
            when counted.n_votes < counted.n_members then 'no_vote'
            when first_labels.text_key is not null and first_labels.label is null then 'tied'
        end as fault
    from counted
    left join first_labels using (scorer_key, text_key)
    left join {{ ref('stg_extract__texts') }} as texts using (text_key)
    left join limits on counted.scorer = limits.judge
)

select
    scorer_key,
    scorer,
    text_key,
    case when fault is null then label end as label,
    case when fault is null then value end as value,
    coalesce(fault, case when is_capped then 'capped' else 'ok' end) as judgement_status,
    n_members
from judged
