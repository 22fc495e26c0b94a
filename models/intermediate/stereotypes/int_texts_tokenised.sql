-- Grain: one row per text_id; one per suite, text_key: each distinct text once, however many answers have it.
with answered as (
    select distinct
        suite,
        text_key
    from {{ ref('int_stereotype_texts_listed') }}
    where is_counted
),

counting as (
    select distinct suite from {{ ref('stg_suite__protected_words') }}
)

select
    answered.suite,
    answered.text_key,
    row_number() over (order by answered.suite, answered.text_key) as text_id,
    {{ tokens('texts.text', 'settings.tokeniser') }} as tokens
from answered
inner join counting using (suite)
inner join {{ ref('stg_suite__stereotypes') }} as settings using (suite)
inner join {{ ref('stg_extract__texts') }} as texts using (text_key)
