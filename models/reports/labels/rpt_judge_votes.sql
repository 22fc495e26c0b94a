-- Grain: one row per judge, config: how those who vote as a judge voted.
select
    judge,
    config,
    model,
    is_simulated,
    count(*) filter (where vote_status = 'ok') as n_votes,
    count(*) filter (where vote_status = 'invalid_vote') as n_invalid,
    count(*) filter (where vote_status not in ('ok', 'invalid_vote', 'empty_text', 'unsupported_language'))
        as n_failed,
    count(*) filter (where n_members > 1 and judged_label is not null) as n_shared,
    count(*) filter (where n_members > 1 and judged_label = label) as n_agreeing
from {{ ref('fct_judge_votes') }}
group by judge, config, model, is_simulated
