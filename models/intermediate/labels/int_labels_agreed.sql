-- Grain: one row per outcome_set, response_key: what people say of an answer, beside what is read.
-- The label is the one that most annotators give; of two that as many give, one by chance (the answer's key).
-- Of numbers it is the mean. `probability`: of being drawn, by the latest sample that knows the answer and of
-- whose question people have read some: a draw that nobody has read yet tells nothing of who was read.
with labels as (
    select * from {{ ref('int_labels_known') }}
    where source <> 'data'
),

votes as (
    select
        suite,
        category,
        outcome_set,
        response_key,
        label,
        is_label_counted,
        count(*) as n_votes
    from labels
    group by suite, category, outcome_set, response_key, label, is_label_counted
),

ranked as (
    select
        *,
        row_number() over (
            partition by outcome_set, response_key
            order by n_votes desc, {{ hash_of(['response_key', 'outcome_set', "coalesce(label, '')"]) }}
        ) as place
    from votes
),

annotated as (
    select
        outcome_set,
        response_key,
        avg(value) as value,
        max(case when source = 'example' then 1 else 0 end) = 1 as is_example
    from labels
    group by outcome_set, response_key
),

drawn as (
    select
        samples.outcome_set,
        samples.response_key,
        max_by(samples.probability, (samples.drawn_at, samples.sample_key)) as probability
    from {{ ref('stg_labels__samples') }} as samples
    semi join labels
        on
            samples.sample_key = labels.sample_key
            and samples.category = labels.category
            and samples.outcome_set = labels.outcome_set
    group by samples.outcome_set, samples.response_key
),

agreed as (
    select
        suite,
        category,
        outcome_set,
        response_key,
        label,
        is_label_counted
    from ranked
    where place = 1
)

select
    agreed.suite,
    outcomes.domain,
    agreed.category,
    outcomes.config_key,
    outcomes.config,
    outcomes.model,
    outcomes.role,
    outcomes.is_simulated,
    agreed.outcome_set,
    case when outcomes.rule_kind = 'score' then outcomes.feature else outcomes.outcome_set end as measure,
    outcomes.rule_kind,
    agreed.response_key,
    outcomes.prompt_key,
    outcomes.block_key,
    -- What the rule reads: null where it counts no label.
    case when outcomes.is_counted then outcomes.outcome end as outcome,
    outcomes.score,
    agreed.label,
    agreed.is_label_counted,
    annotated.value,
    annotated.is_example,
    drawn.probability
from agreed
inner join annotated
    on
        agreed.outcome_set = annotated.outcome_set
        and agreed.response_key = annotated.response_key
inner join {{ ref('int_outcomes_assigned') }} as outcomes
    on
        agreed.outcome_set = outcomes.outcome_set
        and agreed.response_key = outcomes.response_key
left join drawn
    on
        agreed.outcome_set = drawn.outcome_set
        and agreed.response_key = drawn.response_key
where outcomes.outcome_status <> 'failed_response'
