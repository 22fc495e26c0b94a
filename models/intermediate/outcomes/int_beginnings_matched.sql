-- Grain: one row per suite, category, outcome_set, token: the label that a first token begins (SPEC MEA-9).
-- A token of whole words, or of two letters at least, begins the one label whose phrases begin with it; where
-- those of two labels do, it is nobody's.
{%- set around = pattern('^[^\\p{L}\\p{M}\\p{N}]+|[^\\p{L}\\p{M}\\p{N}]+$') %}
with tokens as (
    select distinct token from {{ ref('stg_generate__first_tokens') }}
),

-- Case, spaces and what else stands around a word are no part of it.
folded as (
    select
        token,
        {{ lowered(all_replaced(composed('token'), around, '')) }} as beginning
    from tokens
),

matched as (
    select distinct
        beginnings.suite,
        beginnings.category,
        beginnings.outcome_set,
        folded.token,
        beginnings.label
    from folded
    inner join {{ ref('stg_suite__beginnings') }} as beginnings
        on
            folded.beginning <> ''
            and substr(beginnings.beginning, 1, length(folded.beginning)) = folded.beginning
    -- One Latin letter or digit begins too many other words.
    where
        folded.beginning = beginnings.beginning
        or {{ matches('folded.beginning', pattern('^(..|[^a-z0-9])')) }}
)

select
    suite,
    category,
    outcome_set,
    token,
    max(label) as label
from matched
group by suite, category, outcome_set, token
having count(*) = 1
