-- Grain: one row per suite, attribute, word.
with words as (
    select
        suite,
        unnest(cast(definition -> '$.stereotypes.protected_words' as json[])) as word
    from {{ source('raw', 'suites') }}
)

select
    suite,
    word ->> 'attribute' as attribute,
    cast(word -> 'attribute_position' as integer) as attribute_position,
    word ->> 'group' as group_value,
    cast(word -> 'group_position' as integer) as group_position,
    cast(word -> 'reference_share' as double) as reference_share,
    word ->> 'word' as word
from words
