-- Grain: one row per suite, attribute, word.
with words as (
    select
        suite,
        {{ unnested(json_items('definition', 'stereotypes.protected_words')) }} as word
    from {{ source('raw', 'suites') }}
),

listed as (
    select
        suite,
        {{ json_text('word', 'attribute') }} as attribute,
        cast({{ json_text('word', 'attribute_position') }} as integer) as attribute_position,
        {{ json_text('word', 'group') }} as group_value,
        cast({{ json_text('word', 'group_position') }} as integer) as group_position,
        cast({{ json_text('word', 'reference_share') }} as double) as reference_share,
        {{ json_text('word', 'word') }} as word
    from words
)

select
    *,
    dense_rank() over (order by suite, attribute, group_value) as group_place
from listed
