-- Grain: one row per suite, target_list, form.
with words as (
    select
        suite,
        unnest(cast(definition -> '$.stereotypes.target_words' as json[])) as word
    from {{ source('raw', 'suites') }}
)

select
    suite,
    word ->> 'target_list' as target_list,
    word ->> 'word' as word,
    word ->> 'form' as form
from words
