-- Grain: one row per suite, category, outcome_set, phrase.
with categories as (
    {{ suite_categories() }}
),

rules as (
    select
        suite,
        category,
        unnest(cast(settings -> 'outcomes' as json[])) as rule
    from categories
),

phrases as (
    select
        *,
        unnest(cast(rule -> 'phrases' as json[])) as phrase,
        {{ list_positions("rule -> 'phrases'") }} as phrase_position
    from rules
)

select
    suite,
    category,
    rule ->> 'set' as outcome_set,
    rule ->> 'variant' as variant,
    rule ->> 'kind' as rule_kind,
    rule ->> 'text' as text_variant,
    case when (rule ->> 'kind') = 'score' then rule ->> 'measured_feature' end as feature,
    case when (rule ->> 'kind') = 'score' then rule ->> 'scorer' end as scorer,
    case when (rule ->> 'kind') = 'score' then rule ->> 'feature' end as scorer_feature,
    rule ->> 'unmatched' as unmatched_label,
    case
        when (rule ->> 'kind') = 'anchor' then cast(rule -> 'min_similarity' as double)
    end as min_similarity,
    case when (rule ->> 'kind') = 'anchor' then cast(rule -> 'min_margin' as double) end as min_margin,
    phrase ->> 'label' as label,
    cast(phrase -> 'label_position' as integer) as label_position,
    cast(phrase -> 'is_favourable' as boolean) as is_favourable,
    phrase ->> 'phrase' as phrase,
    phrase_position,
    phrase ->> 'pattern' as pattern,
    phrase ->> 'text_key' as phrase_text_key
from phrases
