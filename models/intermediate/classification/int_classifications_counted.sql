-- Grain: one row per suite, category, config_key, axis, group_value: answers by what they predict and what is
-- true. The positive labels of both are the suite's. Axes that hold the truth itself are left out.
with answers as (
    select * from {{ ref('int_responses_analysed') }}
    where measure_kind = 'outcome'
),

classified as (
    select
        answers.*,
        list_contains(declared.predicted_labels, answers.outcome) as is_predicted,
        list_contains(
            declared.true_labels, {{ map_value('prompts.attributes', 'declared.attribute') }}
        ) as is_true
    from answers
    inner join {{ ref('stg_suite__classifications') }} as declared
        on
            answers.suite = declared.suite
            and answers.category = declared.category
            and answers.measure = declared.outcome_set
    inner join {{ ref('stg_assemble__prompts') }} as prompts using (prompt_key)
    where not list_contains(string_split(answers.axis, ' & '), declared.attribute)
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
    measure as outcome_set,
    group_value,
    is_excluded,
    count(*) filter (is_predicted and is_true) as n_true_positives,
    count(*) filter (is_predicted and not is_true) as n_false_positives,
    count(*) filter (not is_predicted and is_true) as n_false_negatives,
    count(*) filter (not is_predicted and not is_true) as n_true_negatives,
    count(*) filter (is_true is null) as n_unknown
from classified
group by all
