-- Grain: one row per suite, category, outcome_set, text_key: the text that the set's rule reads.
with responses as (
    select distinct
        suite,
        category,
        text_key
    from {{ ref('int_responses_joined') }}
    where is_usable
),

rules as (
    select distinct
        suite,
        category,
        outcome_set,
        text_variant
    from {{ ref('stg_suite__outcome_rules') }}
)

select
    responses.suite,
    responses.category,
    rules.outcome_set,
    responses.text_key,
    texts.text_key as variant_text_key,
    -- Cleaning can leave nothing of a text, of dots alone for instance.
    texts.text = '' as is_blank
from responses
inner join rules using (suite, category)
left join {{ ref('stg_extract__text_variants') }} as variants using (text_key, text_variant)
left join {{ ref('stg_extract__texts') }} as texts
    on
        case when rules.text_variant = 'raw' then responses.text_key else variants.variant_text_key end
        = texts.text_key
