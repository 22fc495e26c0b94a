-- Grain: one row per suite, category, outcome_set, phrase.
{%- set kind = json_text('rule', 'kind') %}
{%- set scored = kind ~ " in ('score', 'probability', 'cutoff')" %}
with categories as (
    {{ suite_categories() }}
),

rules as (
    select
        suite,
        category,
        {{ unnested(json_items('settings', 'outcomes')) }} as rule
    from categories
),

phrases as (
    select
        *,
        {{ unnested_in_places(json_items('rule', 'phrases'), 'phrase', 'phrase_position', first=0) }}
    from rules
)

select
    suite,
    category,
    {{ json_text('rule', 'set') }} as outcome_set,
    {{ json_text('rule', 'variant') }} as variant,
    -- A probability is a score that comes with the answer.
    case when {{ kind }} = 'probability' then 'score' else {{ kind }} end as rule_kind,
    {{ kind }} = 'probability' as is_probability,
    {{ json_text('rule', 'text') }} as text_variant,
    {{ json_text('rule', 'languages') }} as languages,
    case when {{ scored }} then {{ json_text('rule', 'measured_feature') }} end as feature,
    case when {{ scored }} or {{ kind }} = 'judged' then {{ json_text('rule', 'scorer') }} end as scorer,
    case when {{ scored }} then {{ json_text('rule', 'feature') }} end as scorer_feature,
    {{ json_text('rule', 'unmatched') }} as unmatched_label,
    case when {{ kind }} = 'anchor' then cast({{ json_text('rule', 'min_similarity') }} as double) end
        as min_similarity,
    case when {{ kind }} = 'anchor' then cast({{ json_text('rule', 'min_margin') }} as double) end
        as min_margin,
    {{ json_text('phrase', 'label') }} as label,
    cast({{ json_text('phrase', 'label_position') }} as integer) as label_position,
    cast({{ json_text('phrase', 'is_favourable') }} as boolean) as is_favourable,
    {{ json_text('phrase', 'phrase') }} as phrase,
    phrase_position,
    {{ json_text('phrase', 'pattern') }} as pattern,
    {{ json_text('phrase', 'text_key') }} as phrase_text_key
from phrases
