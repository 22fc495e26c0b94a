-- Grain: one row per suite, category, config_key, axis, group_value, block_key: answers to one name, text or
-- root by what they predict and what is true. The positive labels of both are the suite's. Axes that hold the
-- truth itself are left out.
with answers as (
    select * from {{ ref('int_outcomes_assigned') }}
    where rule_kind <> 'score'
),

classified as (
    select
        answers.suite,
        answers.domain,
        answers.category,
        answers.config_key,
        answers.config,
        answers.model,
        answers.role,
        answers.is_simulated,
        answers.block_key,
        answers.outcome_set,
        answers.is_counted,
        grouped.axis,
        grouped.group_value,
        array_contains(declared.predicted_labels, answers.outcome) as is_predicted,
        array_contains(
            declared.true_labels, {{ map_value('prompts.attributes', 'declared.attribute') }}
        ) as is_true
    from answers
    inner join {{ ref('stg_suite__classifications') }} as declared using (suite, category, outcome_set)
    inner join {{ ref('stg_assemble__prompts') }} as prompts using (prompt_key)
    inner join {{ ref('int_prompts_grouped') }} as grouped using (prompt_key)
    where not array_contains(split(grouped.axis, ' & '), declared.attribute)
)

select
    suite,
    domain,
    category,
    config_key,
    config,
    model,
    role,
    is_simulated,
    axis,
    outcome_set,
    group_value,
    block_key,
    count(*) filter (where is_counted and is_predicted and is_true) as n_true_positives,
    count(*) filter (where is_counted and is_predicted and not is_true) as n_false_positives,
    count(*) filter (where is_counted and not is_predicted and is_true) as n_false_negatives,
    count(*) filter (where is_counted and not is_predicted and not is_true) as n_true_negatives,
    count(*) filter (where is_counted and is_true is null) as n_unknown,
    count(*) filter (where is_counted) as n_counted,
    -- Of an answer that failed or could not be read the truth is known.
    count(*) filter (where not is_counted and is_true) as n_missing_positives,
    count(*) filter (where not is_counted and not is_true) as n_missing_negatives
from classified
group by all
