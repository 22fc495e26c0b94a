-- Grain: one row per outcome_set, response_key, annotator. Where people said something by a name that the rule
-- has no more, it would be an error of the rule, and the labels that are left would be no random ones: all that
-- people said of this question is left out. Labels of the data stay as they are.
with known as (
    select
        suite,
        category,
        outcome_set,
        label
    from {{ ref('stg_suite__outcome_rules') }}
    where label is not null
    union distinct
    select
        suite,
        category,
        outcome_set,
        unmatched_label as label
    from {{ ref('stg_suite__outcome_rules') }}
    where unmatched_label is not null
),

forgotten as (
    select distinct
        labels.suite,
        labels.category,
        labels.outcome_set
    from {{ ref('stg_labels__labels') }} as labels
    left join known
        on
            labels.suite = known.suite
            and labels.category = known.category
            and labels.outcome_set = known.outcome_set
            and labels.label = known.label
    where
        labels.source <> 'data'
        and labels.label is not null
        and labels.label not in ('unmatched', 'unclear')
        and known.label is null
)

select labels.*
from {{ ref('stg_labels__labels') }} as labels
left join forgotten
    on
        labels.suite = forgotten.suite
        and labels.category = forgotten.category
        and labels.outcome_set = forgotten.outcome_set
where labels.source = 'data' or forgotten.outcome_set is null
