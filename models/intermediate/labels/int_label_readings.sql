-- Grain: one row per outcome_set, response_key, annotator: what each says of an answer, beside what is read.
-- `n_readers`: people who gave the answer a label, or a number where it has a score.
with labels as (
    select
        suite,
        category,
        outcome_set,
        response_key,
        case when source = 'data' then 'data' else annotator end as annotator,
        coalesce(label, 'it cannot be told') as label,
        value,
        source
    from {{ ref('int_labels_known') }}
),

outcomes as (
    select * from {{ ref('int_outcomes_assigned') }}
    where outcome_status <> 'failed_response'
)

select
    labels.suite,
    labels.category,
    labels.outcome_set,
    labels.response_key,
    outcomes.prompt_key,
    outcomes.block_key,
    labels.annotator,
    labels.label,
    labels.value,
    labels.source,
    outcomes.rule_kind = 'score' as is_score,
    -- A label of the data is no reading of its own, where it is what is read.
    outcomes.rule_kind = 'given' and labels.source = 'data' as is_what_is_read,
    outcomes.outcome,
    count(case
        when labels.source <> 'data' and (outcomes.rule_kind <> 'score' or labels.value is not null) then 1
    end) over (partition by labels.outcome_set, labels.response_key) as n_readers
from labels
inner join outcomes using (suite, category, outcome_set, response_key)
