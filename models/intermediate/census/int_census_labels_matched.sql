-- Grain: one row per suite, category, outcome_set, label that has published figures, and its name there.
with labels as (
    select distinct
        suite,
        category,
        outcome_set,
        label
    from {{ ref('stg_suite__outcome_rules') }}
),

truths as (
    select * from {{ ref('stg_suite__ground_truths') }}
    where ground_truth = 'singstat'
)

select
    labels.suite,
    labels.category,
    labels.outcome_set,
    labels.label,
    crosswalk.published_label
from labels
inner join truths using (suite, category, outcome_set)
inner join {{ ref('singstat_crosswalk') }} as crosswalk
    on
        truths.dimension = crosswalk.dimension
        and labels.label = crosswalk.audit_label
where crosswalk.relation <> 'not_an_occupation'
union all
select
    labels.suite,
    labels.category,
    labels.outcome_set,
    labels.label,
    given.published_label
from labels
inner join {{ ref('stg_suite__ground_truth_labels') }} as given using (suite, category, outcome_set, label)
