-- Grain: one row per suite, category, outcome_set, beginning: how the labels of probability rules begin.
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

beginnings as (
    select
        *,
        {{ unnested(json_items('rule', 'beginnings')) }} as said
    from rules
)

select
    suite,
    category,
    {{ json_text('rule', 'set') }} as outcome_set,
    {{ json_text('rule', 'measured_feature') }} as feature,
    cast({{ json_text('rule', 'min_mass') }} as double) as min_mass,
    {{ json_text('said', 'label') }} as label,
    cast({{ json_text('said', 'label_position') }} as integer) as label_position,
    cast({{ json_text('said', 'is_favourable') }} as boolean) as is_favourable,
    {{ json_text('said', 'beginning') }} as beginning
from beginnings
