-- Grain: one row per judge, vote_key: each vote, beside what all votes on its text come to.
select
    scorers.scorer as judge,
    votes.vote_key,
    configs.config,
    configs.model,
    configs.is_simulated,
    votes.text_key,
    votes.label,
    votes.value,
    votes.reason,
    votes.vote_status,
    votes.n_attempts,
    judgements.label as judged_label,
    judgements.value as judged_value,
    judgements.judgement_status,
    judgements.n_members
from {{ ref('stg_extract__judge_members') }} as members
inner join {{ ref('int_scorers_selected') }} as scorers using (scorer_key)
inner join {{ ref('int_configs_labelled') }} as configs using (config_key)
inner join {{ ref('stg_extract__judge_votes') }} as votes
    on
        members.rubric_key = votes.rubric_key
        and members.config_key = votes.config_key
inner join {{ ref('int_judgements_counted') }} as judgements
    on
        members.scorer_key = judgements.scorer_key
        and votes.text_key = judgements.text_key
