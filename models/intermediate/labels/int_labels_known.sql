-- Grain: one row per outcome_set, response_key, annotator. Where people said something by a name that the
-- rule has no more, it would be an error of the rule, and the labels that are left would be no random ones:
-- all that people said of this question is left out. Labels of the data stay as they are.
with known as (
    {{ labels_of_rules() }}
),

named as (
    select
        labels.*,
        -- `unmatched` and `unclear` say that no label fits.
        known.label is not null as is_label_counted
    from {{ ref('stg_labels__labels') }} as labels
    left join known
        on
            labels.suite = known.suite
            and labels.category = known.category
            and labels.outcome_set = known.outcome_set
            and labels.label = known.label
),

forgotten as (
    select distinct
        suite,
        category,
        outcome_set
    from named
    where
        source <> 'data'
        and label is not null
        and label not in ('unmatched', 'unclear')
        and not is_label_counted
)

select named.*
from named
left join forgotten
    on
        named.suite = forgotten.suite
        and named.category = forgotten.category
        and named.outcome_set = forgotten.outcome_set
where named.source = 'data' or forgotten.outcome_set is null
