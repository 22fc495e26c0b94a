-- Grain: one row per suite, category, config_key, condition, block_key: a benchmark's answers by the option
-- that they choose. A prompt says by its attributes which option is right, biased or its opposite; one that
-- has no such option is not judged by it.
with answers as (
    select
        answers.suite,
        answers.category,
        answers.config_key,
        answers.config,
        answers.model,
        answers.role,
        answers.is_simulated,
        answers.block_key,
        answers.outcome,
        answers.is_counted,
        declared.benchmark,
        coalesce({{ map_value('prompts.attributes', "'condition'") }}, '') as condition,
        -- A file of answers has a value in every cell: `none` where a prompt has no such option.
        nullif({{ map_value('prompts.attributes', "'correct'") }}, 'none') as correct,
        nullif({{ map_value('prompts.attributes', "'biased'") }}, 'none') as biased,
        nullif({{ map_value('prompts.attributes', "'countered'") }}, 'none') as countered
    from {{ ref('int_outcomes_assigned') }} as answers
    inner join {{ ref('stg_suite__benchmarks') }} as declared using (suite, outcome_set)
    inner join {{ ref('stg_assemble__prompts') }} as prompts using (prompt_key)
    where answers.rule_kind <> 'score'
)

select
    suite,
    category,
    config_key,
    config,
    model,
    role,
    is_simulated,
    benchmark,
    condition,
    block_key,
    count(*) filter (where is_counted and correct is not null) as n_judged,
    count(*) filter (where is_counted and outcome = correct) as n_correct,
    count(*) filter (where is_counted and biased is not null) as n_leaning,
    count(*) filter (where is_counted and outcome = biased) as n_biased,
    count(*) filter (where is_counted and outcome = countered) as n_countered,
    count(*) filter (where not is_counted and correct is not null) as n_judged_missing,
    count(*) filter (where not is_counted and biased is not null) as n_leaning_missing
from answers
group by all
