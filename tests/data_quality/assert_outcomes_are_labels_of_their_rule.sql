-- An outcome is a label that the suite's rule gives, or says that no label was found (SPEC DQ-5).
with labels as (
    select distinct
        suite,
        category,
        outcome_set,
        {{ unnested(list_of('label, unmatched_label')) }} as label
    from {{ ref('stg_suite__outcome_rules') }}
)

select
    outcomes.response_key,
    outcomes.outcome_set,
    outcomes.outcome,
    outcomes.outcome_status
from {{ ref('fct_outcomes') }} as outcomes
left join labels
    on
        outcomes.suite = labels.suite
        and outcomes.category = labels.category
        and outcomes.outcome_set = labels.outcome_set
        and outcomes.outcome = labels.label
where
    outcomes.outcome is not null
    and labels.label is null
    and (outcomes.outcome_status in ('unmatched', 'unclear') and not outcomes.is_counted) is not true
